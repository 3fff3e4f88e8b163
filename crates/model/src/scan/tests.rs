use super::*;

/// Every byte beside every other, and then by chance.
fn texts() -> Vec<u8> {
    let pairs = (0..=255).flat_map(|byte| (0..=255).flat_map(move |other| [byte, other]));
    let mut dice = 7_u32;
    let chance = (0..40_000).map(move |_| {
        dice = dice.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        b"ab9_-=:<!['\n\x1bBE \xc2\xe1\xe2\xef\xf3\xa0"[(dice >> 16) as usize % 22]
    });
    pairs.chain(chance).collect()
}

#[test]
fn every_byte_that_something_may_begin_at_is_shown_once_and_in_order() {
    let bytes = texts();
    for long in (0..200).chain([1000, bytes.len()]) {
        let text = &bytes[bytes.len() - long..];
        let mut events: Vec<usize> = Vec::new();
        look(text, &mut events, Vec::push, |_, _, _| {});
        let byte = |at: usize| text.get(at).copied().unwrap_or(b'\n');
        let is_event = |at: &usize| {
            let behind = byte(at + 1);
            match byte(*at) {
                b'=' | b':' | b'<' | b'[' | 0x1b | 0xc2 | 0xe1 | 0xe2 | 0xef | 0xf3 => true,
                b'-' => matches!(behind, b'@'..=b'G'),
                _ => false,
            }
        };
        assert_eq!(events, (0..long).filter(is_event).collect::<Vec<_>>());
    }
}

#[test]
fn every_long_run_is_shown_from_end_to_end() {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut dice = 11_u32;
    for _ in 0..3000 {
        let mut text = Vec::new();
        while text.len() < 400 {
            dice = dice.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            let long = (dice >> 16) as usize % if dice >> 30 == 0 { 200 } else { 20 };
            text.extend(b"aZ09_-".iter().cycle().skip(long % 6).take(long));
            text.push(b" =./\xe9"[long % 5]);
        }
        text.truncate(400 - (dice >> 20) as usize % 150);
        let mut seen: Vec<(usize, usize)> = Vec::new();
        look(&text, &mut seen, |_, _| {}, |seen, from, to| seen.push((from, to)));
        let mut wanted = Vec::new();
        let mut at = 0;
        for run in text.split(|byte| !is_part(byte)) {
            if run.len() >= RUN {
                wanted.push((at, at + run.len()));
            }
            at += run.len() + 1;
        }
        assert_eq!(seen, wanted);
    }
}
