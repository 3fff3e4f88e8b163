//! What calls of libraries do, by language and name.

/// What a call does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// A shell command, or a list of words.
    Runs,
    /// A list of words, first the program.
    RunsWords,
    /// The same after a first argument that is a mode.
    SpawnsWords,
    Deletes,
    DeletesTree,
    Writes,
    Reads,
    /// What a command does; `$1` is the first argument.
    Like(&'static str),
    Kills,
    /// Runs its argument as code of the same language.
    Evaluates,
    /// Fetches a file from the network to a place.
    Downloads,
    /// A method by its name: `send(:system, …)`.
    Sends,
    /// Names files, so that what is done to unknown ones later is done to these.
    Finds,
}

use Does::{
    Deletes, DeletesTree, Downloads, Evaluates, Finds, Kills, Like, Reads, Runs, RunsWords, Sends,
    SpawnsWords, Writes,
};

const COPY: Does = Like("cp -r $1 $2");

const FIFO: Does = Like("mkfifo $1");

const LINK: Does = Like("ln -sf $1 $2");

const MOVE: Does = Like("mv $1 $2");

/// The mode of a file: most say the file first.
const MODE: Does = Like("chmod $2 $1");

const MODE_FIRST: Does = Like("chmod $1 $2");

const OWNER: Does = Like("chown $2 $1");

/// Whether the calls of a language that read and write files are known by their names.
pub(super) fn is_known(language: &str) -> bool {
    matches!(language, "python" | "perl" | "ruby" | "javascript" | "php" | "awk")
}

/// Calls by the end of their dotted name.
static CALLS: &[(&str, &[(&str, Does)])] = &[
    (
        "python",
        &[
            ("system", Runs),
            ("popen", Runs),
            ("Popen", Runs),
            ("run", Runs),
            ("call", Runs),
            ("check_call", Runs),
            ("check_output", Runs),
            ("getoutput", Runs),
            ("getstatusoutput", Runs),
            ("create_subprocess_shell", Runs),
            ("create_subprocess_exec", RunsWords),
            ("spawn", Runs),
            ("execv", RunsWords),
            ("execve", RunsWords),
            ("execvp", RunsWords),
            ("execvpe", RunsWords),
            ("execl", RunsWords),
            ("execlp", RunsWords),
            ("posix_spawn", RunsWords),
            ("posix_spawnp", RunsWords),
            ("spawnl", SpawnsWords),
            ("spawnlp", SpawnsWords),
            ("spawnv", SpawnsWords),
            ("spawnvp", SpawnsWords),
            ("rmtree", DeletesTree),
            ("removedirs", DeletesTree),
            ("remove", Deletes),
            ("unlink", Deletes),
            ("rmdir", Deletes),
            ("open", Writes),
            ("write_text", Writes),
            ("write_bytes", Writes),
            ("truncate", Writes),
            ("copyfile", COPY),
            ("copytree", COPY),
            ("copy2", COPY),
            ("copy", COPY),
            ("symlink", LINK),
            ("link", LINK),
            ("symlink_to", Like("ln -sf $2 $1")),
            ("hardlink_to", Like("ln -sf $2 $1")),
            ("mkfifo", FIFO),
            ("mknod", FIFO),
            ("read_text", Reads),
            ("read_bytes", Reads),
            ("rename", MOVE),
            ("renames", MOVE),
            ("=os.replace", MOVE),
            ("move", MOVE),
            ("chmod", MODE),
            ("chown", OWNER),
            ("kill", Kills),
            ("killpg", Kills),
            ("urlretrieve", Downloads),
            ("exec", Evaluates),
            ("eval", Evaluates),
            ("glob", Finds),
            ("rglob", Finds),
            ("iglob", Finds),
            ("walk", Finds),
            ("listdir", Finds),
            ("scandir", Finds),
            ("iterdir", Finds),
        ],
    ),
    (
        "perl",
        &[
            ("system", Runs),
            ("exec", Runs),
            ("qx", Runs),
            ("open", Runs),
            ("unlink", Deletes),
            ("rmtree", DeletesTree),
            ("remove_tree", DeletesTree),
            ("rmdir", Deletes),
            ("rename", MOVE),
            ("copy", COPY),
            ("move", MOVE),
            ("symlink", LINK),
            ("link", LINK),
            ("mkfifo", FIFO),
            ("chmod", MODE_FIRST),
            ("chown", Like("chown $1 $3")),
            ("kill", Kills),
            ("eval", Evaluates),
            ("glob", Finds),
            ("finddepth", Finds),
            ("find", Finds),
        ],
    ),
    (
        "ruby",
        &[
            ("system", Runs),
            ("exec", Runs),
            ("spawn", Runs),
            ("popen", Runs),
            ("capture2", Runs),
            ("capture2e", Runs),
            ("capture3", Runs),
            ("popen3", Runs),
            ("rm_rf", DeletesTree),
            ("rm_r", DeletesTree),
            ("remove_dir", DeletesTree),
            ("remove_entry", DeletesTree),
            ("remove_entry_secure", DeletesTree),
            ("rmtree", DeletesTree),
            ("File.delete", Deletes),
            ("File.unlink", Deletes),
            ("FileUtils.rm", Deletes),
            ("open", Writes),
            ("File.write", Writes),
            ("File.read", Reads),
            ("IO.read", Reads),
            ("FileUtils.mv", MOVE),
            ("File.rename", MOVE),
            ("FileUtils.cp", COPY),
            ("FileUtils.cp_r", COPY),
            ("FileUtils.copy", COPY),
            ("FileUtils.ln_s", LINK),
            ("FileUtils.ln_sf", LINK),
            ("FileUtils.ln", LINK),
            ("File.symlink", LINK),
            ("File.link", LINK),
            ("File.mkfifo", FIFO),
            ("File.chmod", MODE_FIRST),
            ("FileUtils.chmod", MODE_FIRST),
            ("FileUtils.chmod_R", Like("chmod -R $1 $2")),
            ("FileUtils.chown_R", Like("chown -R $1 $3")),
            ("Process.kill", Kills),
            ("send", Sends),
            ("public_send", Sends),
            ("__send__", Sends),
            ("eval", Evaluates),
            ("instance_eval", Evaluates),
            ("Dir.glob", Finds),
        ],
    ),
    (
        "javascript",
        &[
            ("exec", Runs),
            ("execSync", Runs),
            ("spawn", RunsWords),
            ("spawnSync", RunsWords),
            ("execFile", RunsWords),
            ("execFileSync", RunsWords),
            ("Deno.Command", RunsWords),
            ("rmSync", DeletesTree),
            ("rm", DeletesTree),
            ("rmdirSync", DeletesTree),
            ("rmdir", DeletesTree),
            ("removeSync", DeletesTree),
            ("emptyDirSync", DeletesTree),
            ("sync", DeletesTree),
            ("rimraf", DeletesTree),
            ("Deno.remove", DeletesTree),
            ("unlinkSync", Deletes),
            ("unlink", Deletes),
            ("writeFileSync", Writes),
            ("writeFile", Writes),
            ("appendFileSync", Writes),
            ("appendFile", Writes),
            ("truncateSync", Writes),
            ("readFileSync", Reads),
            ("readFile", Reads),
            ("readTextFileSync", Reads),
            ("createWriteStream", Writes),
            ("Bun.write", Writes),
            ("writeTextFile", Writes),
            ("writeTextFileSync", Writes),
            ("renameSync", MOVE),
            ("rename", MOVE),
            ("copyFileSync", COPY),
            ("copyFile", COPY),
            ("cpSync", COPY),
            ("symlinkSync", LINK),
            ("symlink", LINK),
            ("linkSync", LINK),
            ("chmodSync", MODE),
            ("chmod", MODE),
            ("chownSync", OWNER),
            ("kill", Kills),
            ("eval", Evaluates),
            ("Function", Evaluates),
            ("runInNewContext", Evaluates),
            ("runInThisContext", Evaluates),
            ("then", Evaluates),
            ("readdirSync", Finds),
            ("globSync", Finds),
        ],
    ),
    (
        "php",
        &[
            ("system", Runs),
            ("exec", Runs),
            ("shell_exec", Runs),
            ("passthru", Runs),
            ("popen", Runs),
            ("proc_open", Runs),
            ("pcntl_exec", RunsWords),
            ("unlink", Deletes),
            ("rmdir", Deletes),
            ("array_map", Deletes),
            ("fopen", Writes),
            ("file_put_contents", Writes),
            ("file_get_contents", Reads),
            ("readfile", Reads),
            ("rename", MOVE),
            ("copy", COPY),
            ("symlink", LINK),
            ("link", LINK),
            ("posix_mkfifo", FIFO),
            ("chmod", MODE),
            ("chown", OWNER),
            ("posix_kill", Kills),
            ("eval", Evaluates),
            ("assert", Evaluates),
            ("glob", Finds),
            ("scandir", Finds),
            ("RecursiveDirectoryIterator", Finds),
            ("DirectoryIterator", Finds),
            ("FilesystemIterator", Finds),
        ],
    ),
    (
        "lua",
        &[
            ("os.execute", Runs),
            ("io.popen", Runs),
            ("os.remove", Deletes),
            ("os.rename", MOVE),
            ("load", Evaluates),
            ("loadstring", Evaluates),
        ],
    ),
    (
        "r",
        &[
            ("system", Runs),
            ("system2", RunsWords),
            ("shell", Runs),
            ("unlink", DeletesTree),
            ("file.remove", Deletes),
            ("file.copy", COPY),
            ("file.rename", MOVE),
            ("file.symlink", LINK),
            ("readLines", Reads),
            ("download.file", Downloads),
            ("eval", Evaluates),
            ("list.files", Finds),
        ],
    ),
    ("awk", &[("system", Runs)]),
];

pub(super) fn known(language: &str, name: &str) -> Option<Does> {
    let (_, calls) = CALLS.iter().find(|(l, _)| *l == language)?;
    calls.iter().find(|(wanted, _)| is_named(name, wanted)).map(|(_, does)| *does)
}

/// `system` also as `os.system`, `__import__('os').system` and `s.system`; a dotted name must end so; `=` is the whole name.
fn is_named(name: &str, wanted: &str) -> bool {
    if let Some(whole) = wanted.strip_prefix('=') {
        return name == whole;
    }
    if wanted.contains('.') {
        return name == wanted
            || name.strip_suffix(wanted).is_some_and(|head| head.ends_with(['.', ':']))
            || (!wanted.starts_with(|c: char| c.is_ascii_uppercase())
                && name.rsplit('.').next() == wanted.rsplit('.').next()
                && name.contains('.'));
    }
    name.rsplit(['.', ':', '>']).next() == Some(wanted)
}
