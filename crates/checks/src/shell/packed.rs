//! Files that go away when they are packed: `tar --remove-files`, `zip -m`, `gzip`.

use shell::{Arg, Call};

use super::words::{has_flag, operands};

/// What a packer removes once it has packed it, and whether with all that is below.
pub(super) fn packed_away(call: &Call) -> Vec<(Arg, bool)> {
    let args = call.args();
    let all = |args: Vec<&Arg>, tree: bool| args.into_iter().map(|arg| (arg.clone(), tree)).collect();
    match call.program() {
        "tar" | "gtar" | "bsdtar" if call.has("--remove-files") => all(packed_by_tar(args), true),
        "zip" if has_flag(call, "m", &["move"]) => {
            // The first is the archive.
            let files = operands(args, &["-x", "-i", "-b", "-t", "-tt", "-n", "-P"]).into_iter().skip(1);
            all(files.collect(), has_flag(call, "rR", &["recurse-paths", "recurse-patterns"]))
        }
        "7z" | "7za" | "7zz" | "rar" if call.has("-sdel") || call.has("-df") => {
            all(operands(args, &[]).into_iter().skip(2).collect(), true)
        }
        // These keep what they pack unless they are told not to.
        "zstd" | "lz4" | "brotli" if !call.has("--rm") && !call.has("-j") => Vec::new(),
        "gzip" | "pigz" | "bzip2" | "pbzip2" | "xz" | "lzma" | "lzip" | "compress" | "zstd" | "lz4"
        | "brotli" => {
            let stays =
                has_flag(call, "cdkltV", &["stdout", "to-stdout", "keep", "decompress", "uncompress"])
                    || has_flag(call, "", &["list", "test", "version", "help"]);
            if stays {
                Vec::new()
            } else {
                all(operands(args, &["-S", "-T", "-b", "-M"]), has_flag(call, "r", &["recursive"]))
            }
        }
        _ => Vec::new(),
    }
}

/// What is given to tar to pack: not its first bundle of letters, and not the archive.
pub(super) fn packed_by_tar(args: &[Arg]) -> Vec<&Arg> {
    let mut files = Vec::new();
    let mut value = false;
    for (index, arg) in args.iter().enumerate() {
        let text = arg.text.as_str();
        let bundle = index == 0 && !text.starts_with('-');
        if bundle || text.starts_with('-') && !text.starts_with("--") {
            // `-C` is where to go first, which packs nothing.
            value = text.ends_with(['f', 'C', 'T', 'X']) || bundle && text.contains('f');
        } else if text.starts_with("--") {
            value = matches!(text, "--file" | "--directory" | "--exclude" | "--files-from");
        } else if !std::mem::take(&mut value) {
            files.push(arg);
        }
    }
    files
}
