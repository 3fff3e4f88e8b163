//! Files that a command writes.

use shell::{Call, Direction};

use super::words::{has_flag, operands, value};

/// Files that a call writes.
pub(super) fn written(call: &Call) -> Vec<String> {
    let mut paths: Vec<String> = call
        .redirects
        .iter()
        .filter(|r| matches!(r.direction, Direction::Write | Direction::Append | Direction::ReadWrite))
        .map(|r| r.target.text.clone())
        .collect();
    let last =
        |values: &[&str]| operands(call.args(), values).into_iter().next_back().map(|a| a.text.clone());
    match call.program() {
        "tee" | "sponge" => paths.extend(operands(call.args(), &[]).into_iter().map(|a| a.text.clone())),
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => {
            let target = value(call, &["-t", "--target-directory"])
                .map(str::to_owned)
                .or_else(|| last(&["-m", "-o", "-g", "-S", "-e"]));
            if let Some(target) = target {
                // Into a directory, under its own name.
                let sources = operands(call.args(), &["-m", "-o", "-g", "-S", "-e", "-t"]);
                if target.ends_with('/') || target == "." || target == ".." {
                    for source in sources.iter().take(sources.len().saturating_sub(1)) {
                        paths.push(format!(
                            "{}/{}",
                            target.trim_end_matches('/'),
                            shell::path::name(&source.text)
                        ));
                    }
                }
                paths.push(target);
            }
        }
        "mkfifo" | "mknod" => {
            paths.extend(operands(call.args(), &["-m", "-Z"]).into_iter().map(|a| a.text.clone()));
        }
        "sort" => paths.extend(value(call, &["-o", "--output"]).map(str::to_owned)),
        "dd" => paths.extend(call.texts().find_map(|t| t.strip_prefix("of=")).map(str::to_owned)),
        "curl" => paths.extend(value(call, &["-o", "--output"]).map(str::to_owned)),
        "wget" => paths.extend(value(call, &["-O", "--output-document"]).map(str::to_owned)),
        "sed" | "gsed" if edits_in_place(call) => {
            let words = operands(call.args(), &["-e", "-f", "--expression", "--file"]);
            let scripted = call.texts().any(|t| {
                matches!(t, "-e" | "-f") || t.starts_with("--expression") || t.starts_with("--file")
            });
            paths.extend(words.into_iter().skip(usize::from(!scripted)).map(|a| a.text.clone()));
        }
        "perl" | "ruby"
            if call.texts().any(|t| {
                t.starts_with('-') && !t.starts_with("--") && t.contains('i') && !t.starts_with("-I")
            }) =>
        {
            paths
                .extend(operands(call.args(), &["-e", "-E", "-I", "-M"]).into_iter().map(|a| a.text.clone()));
        }
        "gawk" | "awk" if call.has("inplace") => paths.extend(
            operands(call.args(), &["-i", "-f", "-v", "-F"]).into_iter().skip(1).map(|a| a.text.clone()),
        ),
        "ed" | "red" => {
            paths.extend(operands(call.args(), &["-p", "--prompt"]).into_iter().map(|a| a.text.clone()));
        }
        "truncate" | "touch" | "shred" | "ex" | "nano" | "vim" | "vi" => {
            paths.extend(
                operands(call.args(), &["-s", "-r", "-c", "-d", "-t", "--size"])
                    .into_iter()
                    .map(|a| a.text.clone()),
            );
        }
        "patch" => {
            paths
                .extend(operands(call.args(), &["-p", "-i", "-d", "-o"]).into_iter().map(|a| a.text.clone()));
        }
        // What is taken out of an archive by its name.
        "tar" | "gtar" | "bsdtar" if unpacks(call) => {
            let dir = value(call, &["-C", "--directory"]).unwrap_or_default();
            let members = super::packed::packed_by_tar(call.args()).into_iter();
            paths.extend(members.map(|member| below(dir, &member.text)));
        }
        "unzip" => {
            let dir = value(call, &["-d"]).unwrap_or_default();
            let members = operands(call.args(), &["-d", "-x", "-P"]).into_iter().skip(1);
            paths.extend(members.map(|member| below(dir, &member.text)));
        }
        "7z" | "7za" | "7zz" | "unrar"
            if call.args().first().is_some_and(|a| matches!(a.text.as_str(), "x" | "e")) =>
        {
            paths.extend(operands(call.args(), &[]).into_iter().skip(2).map(|a| a.text.clone()));
        }
        "yq" if call.texts().any(|t| matches!(t, "-i" | "--inplace" | "--in-place")) => {
            paths.extend(operands(call.args(), &[]).into_iter().skip(1).map(|a| a.text.clone()));
        }
        "json" if call.has("-I") => paths.extend(value(call, &["-f"]).map(str::to_owned)),
        "sd" => {
            paths.extend(operands(call.args(), &["-n", "-f"]).into_iter().skip(2).map(|a| a.text.clone()));
        }
        _ => {}
    }
    paths
}

/// A name within the folder that is unpacked to.
fn below(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{}/{name}", dir.trim_end_matches('/')) }
}

/// `tar xf`, `tar -xzf`, `tar --extract`.
fn unpacks(call: &Call) -> bool {
    call.args().first().is_some_and(|arg| !arg.text.starts_with("--") && arg.text.contains('x'))
        || has_flag(call, "x", &["extract", "get"])
}

pub(super) fn edits_in_place(call: &Call) -> bool {
    call.texts().any(|t| {
        t.starts_with("--in-place")
            || (t.starts_with('-')
                && !t.starts_with("--")
                && t[1..].chars().take_while(char::is_ascii_alphabetic).any(|c| c == 'i'))
    })
}
