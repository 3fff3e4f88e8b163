//! Hashes of contents.

use model::ContentHash;
use sha2::{Digest, Sha256};

pub fn sha256(bytes: &[u8]) -> ContentHash {
    ContentHash::of_digits(Sha256::digest(bytes).into_iter().flat_map(|byte| [byte >> 4, byte & 15]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        for (bytes, hash) in [
            (&b""[..], "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (b"abc", "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] {
            assert_eq!(sha256(bytes).as_str(), hash);
        }
    }
}
