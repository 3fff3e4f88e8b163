//! What a word of a program is for. The tables name roles by their words; `build.rs` reads this file too, so that a table with a role
//! that is not here does not compile.

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident $word:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role { $($(#[$doc])* $name,)* }

        impl Role {
            /// Every role with the word that tables use for it, and its name here.
            pub const ALL: &[(Role, &str, &str)] = &[$((Role::$name, $word, stringify!($name)),)*];
        }
    };
}

roles! {
    /// Text: a number, a pattern, a name. Nothing happens to it.
    Text "_",
    /// A file whose content is taken in, and may be shown.
    Read "read",
    /// The same with all that is below it.
    ReadTree "read-tree",
    /// A file that is only looked at: its name, size, date.
    Look "look",
    /// A file whose content is used and not shown: a key, a config.
    Use "use",
    /// The same of a file with settings, which is code where it is written in a language: `vite.config.ts`.
    Config "config",
    /// A file that gets new content.
    Write "write",
    Append "append",
    /// A file that is changed in its place, and not shown.
    Edit "edit",
    /// A file that is made where there is none, and otherwise left.
    Make "make",
    /// The same of a folder.
    Folder "folder",
    /// A file that is left without content.
    Empty "empty",
    /// A file that goes away.
    Delete "delete",
    /// A file or folder that goes away with all that is below it.
    Tree "tree",
    /// The same, but what goes away is packed, sent or converted first.
    Pack "pack",
    /// A file or folder that is taken from its place.
    Move "move",
    /// A file that gets a second name.
    Link "link",
    /// The same by a symbolic link, which is followed from where it lies.
    Symlink "symlink",
    /// A folder that is searched: what an expression finds in it is looked at, or deleted.
    Search "search",
    /// A pattern of names that narrows such a search.
    Name "name",
    /// The same of whole paths.
    Whole "whole",
    /// Any other test that narrows it.
    Narrow "narrow",
    /// What is taken out of an archive, by its name there. Where nothing is named, that is everything.
    Unpack "unpack",
    /// What `Read`, `Move` or `Link` words before it become: a file, or a folder that they land in.
    Target "target",
    /// The folder that they land in.
    Into "into",
    /// A folder that is made like another: what is in it and not there goes away.
    Mirror "mirror",
    /// A disk, or a part of one, whose content is lost.
    Disk "disk",
    /// The folder that the call works in.
    Dir "dir",
    /// A file or folder whose permissions or owner change.
    Permit "permit",
    /// The same with all that is below it.
    PermitTree "permit-tree",
    /// The permissions that they get, by option or word.
    Mode "mode",
    /// The attributes that they get: immutable, hidden, append only.
    Flags "flags",
    /// What of this machine a container gets, and where: `/here:/there:ro`, `type=bind,src=/here,dst=/there`.
    Mount "mount",
    /// A file that says which containers there are.
    Compose "compose",
    /// A container of such a file that is started; all of them, where none is named.
    Service "service",
    /// The folder or address that an image is built from.
    Context "context",
    /// A folder that is hidden by what is mounted over it.
    Cover "cover",
    /// A command: this word and all after it.
    Run "run",
    /// The program that the words of `Run` are given to, in place of their first.
    Program "program",
    /// A command in one text, as a shell reads it.
    Shell "sh",
    /// All words from here on are one command line.
    Line "line",
    /// A command: one word is a text that a shell reads, several are its words.
    Start "start",
    /// A command that is started for each thing that comes in: this word and all after it.
    Each "each",
    /// The same with places to fill in, as `parallel` has it.
    Template "template",
    /// Text that is typed into a shell, among names of keys.
    Keys "keys",
    /// Words of a command in one text, which take the place of this one.
    Words "words",
    /// A program by the name of its package, or a script by its file: this word and all after it.
    Tool "tool",
    /// The same, fetched from a registry where the project has not installed it.
    Fetched "fetched",
    /// A file with tests, or a module by its name with dots, which runs; a folder of them is the project's own.
    Suite "suite",
    /// Code that a program loads besides: by its path it runs as a script does, by a plain name it is one of the project's.
    Module "module",
    /// The name of a task in a file of the project.
    Task "task",
    /// A command up to `;` or `+`, as `find` has it.
    Exec "exec",
    /// Code in the language of the program.
    Code "code",
    /// A file with such code.
    Script "script",
    /// An address that is fetched.
    Url "url",
    /// An address that is fetched, and kept here under its own name.
    Save "save",
    /// A host that is spoken to.
    Host "host",
    /// `host:path`, or a path here.
    Remote "remote",
    /// A file that is sent.
    Send "send",
    /// Text that is sent; `@file` in it is a file.
    Post "post",
    /// Text that is sent as it is.
    Tell "tell",
    /// A line at the head of a request, by which one signs in; `@file` is a file with such lines.
    Header "header",
    /// A field of a request: `name=text`, `name@file`, or `Name:text` for its head.
    Item "item",
    /// One end of a connection: `TCP:host:1`, `EXEC:command`, `FILE:path`.
    Relay "relay",
    /// A folder that whoever asks may look into.
    Served "served",
    /// A statement of a database.
    Sql "sql",
    /// A file that holds a database: it is read, and changed where a statement changes it.
    Database "database",
    Package "package",
    /// A package that goes away.
    Uninstall "uninstall",
    /// A service, or a file of one, that will run by itself from then on.
    Later "later",
    /// A process, a service or a session that ends.
    Stop "stop",
    /// A value that is a secret itself: a password, a token.
    Secret "secret",
    /// `name=value` for the program that is started.
    Assign "assign",
    /// The name of a variable.
    Variable "variable",
    /// The same, whose value is printed.
    Printed "printed",
    /// `key=value` of the program's own settings.
    Setting "setting",
    /// Several of them in quotes.
    Settings "settings",
    /// Words of the program's own, which it reads before those of its command line.
    Before "before",
    /// One with the name of a variable that holds the value.
    SettingVar "setting-var",
    /// The name of a setting that the next word gives a value.
    Key "key",
    Value "value",
    /// Other words of the program under a name of their own; after `!` a command of the shell.
    Alias "alias",
    /// A repository that commits come from: a name that it is known by, an address, a folder.
    From "from",
    /// The same, whose commits the current branch gets.
    Pull "pull",
    /// A repository that commits go to.
    To "to",
    /// `+commit:branch` of such a transfer.
    Refspec "refspec",
    /// A commit; `commit:path` is a file in it.
    Rev "rev",
    /// A commit that the current branch is put on.
    Base "base",
    /// The commit that files are taken from.
    Version "version",
    /// A branch to go to, a commit that files are taken from, or files whose changes are lost.
    Branch "branch",
    /// A new branch, to which it goes.
    New "new",
    /// A branch that is set to another commit.
    Ref "ref",
    /// The same, to which it goes.
    Reset "reset",
    /// A branch that is set to another commit, and may lose what it had.
    Moved "moved",
    /// A branch or tag that goes away.
    Unref "unref",
    /// The same, merged or not.
    Lost "lost",
    /// Files whose content is shown, as patterns of a version system.
    Pathspec "pathspec",
    /// Files whose changes are lost.
    Discard "discard",
    /// Files and folders that are lost, as no version has them.
    Purge "purge",
    /// A folder that becomes a repository, or a work tree of one.
    Nest "nest",
    /// Where a repository has its own files.
    Store "store",
    /// A value that is the same as an operand, and counts before the others: `Remove-Item -Path x`.
    Operand "operand",
    /// A path of a service's interface that is called.
    Endpoint "endpoint",
}
