//! Whether a file is a program that the system starts by itself, or a script or launcher that starts another one. A launcher in
//! front of a hook costs a hundred times what the hook does.

use std::io::Read;
use std::path::Path;

/// The first bytes of programs: ELF, Mach-O in its four forms and as a bundle of several, and PE.
const MAGIC: &[&[u8]] = &[
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"MZ",
];

/// A program, and no script. What cannot be read is taken for one: nothing is known against it.
pub fn is_program(path: &Path) -> bool {
    let mut first = [0_u8; 4];
    match crate::files::open(path).and_then(|mut file| file.read_exact(&mut first)) {
        Ok(()) => is_magic(&first),
        Err(_) => crate::files::exists(path),
    }
}

fn is_magic(first: &[u8]) -> bool {
    MAGIC.iter().any(|magic| first.starts_with(magic))
}

/// Whether a path lies in what `npx` has fetched for one run, on whatever system it was written.
pub fn is_npx_cache(path: &Path) -> bool {
    path.to_string_lossy().split(['/', '\\']).any(|part| part == "_npx")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_no_programs() {
        assert!(is_magic(b"\x7fELF") && is_magic(b"MZ\x90\0") && is_magic(b"\xcf\xfa\xed\xfe"));
        assert!(!is_magic(b"#!/u") && !is_magic(b"impo"));
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("plimsoll");
        std::fs::write(&script, "#!/usr/bin/env node\n").unwrap();
        assert!(!is_program(&script));
        assert!(is_program(&std::env::current_exe().unwrap()));
        assert!(!is_program(&dir.path().join("none")));
    }

    #[test]
    fn the_cache_of_npx_is_known_by_its_folder() {
        assert!(is_npx_cache(Path::new(
            "/home/me/.npm/_npx/3f/node_modules/@plimsoll/linux-x64/bin/plimsoll"
        )));
        assert!(is_npx_cache(Path::new(r"C:\Users\me\AppData\Local\npm-cache\_npx\3f\plimsoll.exe")));
        assert!(!is_npx_cache(Path::new("/home/me/my_npx/plimsoll")));
    }
}
