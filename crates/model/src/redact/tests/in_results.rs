//! What is found in what tools return.

use super::super::{OwnValues, find_secrets, mask};

fn shown(text: &str) -> String {
    mask(text, &find_secrets(text, &OwnValues::default())).unwrap_or_else(|| text.to_owned())
}

// In two halves, so that nobody who looks for keys finds one here.
fn key(prefix: &str, body: &str) -> String {
    format!("{prefix}{body}")
}

#[test]
fn keys_by_their_shape_keep_their_beginning() {
    for (prefix, body, kind) in [
        ("ghp_", "q8Wn3rT5yU7iO9pA1sD2fG4hJ6kL8zX0cV2b", "GitHub token"),
        ("sk-ant-api03-", &"aB3-dE6_gH9".repeat(9)[..95], "Anthropic key"),
        ("AKIA", "Q3RS5TUV7WXYZ2BC", "AWS access key id"),
        ("glpat-", "x7Yz9_Ab3-Cd5Ef7Gh1J", "GitLab token"),
        ("xoxb-", "123987456012-987654321098-aZ3bY4cX5dW6eV7f", "Slack bot token"),
        ("SG.", "aB3dE5fG7hI9jK1lM3nO5p.qR7sT9uV1wX3yZ5aB7cD9eF1gH3iJ5kL7mN9oP1qR3s", "SendGrid key"),
    ] {
        let key = key(prefix, body);
        for text in [format!("token: {key}\n"), format!("\"a\\n{key}\\n\""), format!("https://{key}@host/x")]
        {
            let masked = shown(&text);
            assert!(!masked.contains(body), "{masked}");
            assert!(masked.contains(&format!("{prefix}…‹masked: {kind}›")), "{masked}");
        }
    }
}

#[test]
fn what_documentation_shows_stays() {
    for text in [
        "AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "api_key = \"your-api-key-goes-here-1234\"",
        "postgres://user:password@localhost/db and https://user:p4ssw0rd@host/",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
        "private_key: ed25519.Ed25519PrivateKey",
        "PASSWORD = os.environ[\"PASSWORD\"]",
        "token = get_token(user_id)",
        "\"AWS::Gateway::ApiKey\": \"3d104ea0be48564b7c2a\",",
        "for(;;)s.addLineStartIfNotCovered(e)",
        "SMTP_PASS=os.environ.get(_G)\nHOST=os.environ.get(_H)\n",
        "{\"next_page_token\": \"eyJpbmRleCI6IDExfQx8d2K\", \"NextToken\": \"QTKknzFg2J4ygwaXvHAxUl1h\"}",
        "mongodb://host1:27017,host2:abc123@h",
        "\"LockToken\": \"2294b3a1-eb60-4aa0-a86f-a3ae04329de9\", \"clientRequestToken\": \"1d2129a1-3d38-460a-9756-e5b91fddb951\"",
        "\"ClientToken\": \"c9adb218-3222-4889-8216-0cf0e52dc37e\", update_token = \"1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d\"",
        "return s.ReadUint16LengthPrefixed(&list)",
        "https://user:key_1234@host.org/x",
        "\"termToken\": \"term-token-gPFEGk7CF4wS901w7ppYclt7\", \"RequestToken\": \"20999d87-e304-4725-ad84-832dcbfd7fc5\"",
        "api_key: \"peWcBiMOS9HrZG15peWcBiMOS9HrZG15\"",
        "VAPID_KEY = 'BDOU99-h67HcA6JeFXHbSNMu7e2yNNu3RzoMj8TM4W88jITfq7ZmPvIM1Iv-4_l2LxQcYwhqby2xGpWwzjfAnG4'",
        "    DeviceToken: NonEmptySensitiveString1600,",
        "token = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhIjoiYiJ9.jiMyrsmD8AoHWeQgmxZ5yq8z0lXS67_QGs52AzC8Ru8'",
        "mssql+pyodbc://scott:tiger^5HHH@host/db, token='UUID=6a38ee5-7235-44e7-8b22-816a403bad5d'",
    ] {
        assert_eq!(shown(text), text);
    }
}

#[test]
fn values_are_known_by_the_name_before_them() {
    for (text, expected) in [
        ("DB_PASSWORD=hunter2!\nPORT=3000\n", "DB_PASSWORD=‹masked: value of DB_PASSWORD›\nPORT=3000\n"),
        (
            "{\"client_secret\": \"Zm9vYmFy9fQ2xK7vLp3T\"}",
            "{\"client_secret\": \"‹masked: value of client_secret›\"}",
        ),
        (
            "postgres://app:s3cr7tPw9x@db.internal/app",
            "postgres://app:‹masked: password in an address›@db.internal/app",
        ),
        (
            "Authorization: Bearer 9fQ2xK7vLp3TzR8mWc5Y\n",
            "Authorization: Bearer ‹masked: value of Authorization›\n",
        ),
        (
            "pagerduty_token = 'u9fQ2xK7vLp3TzR8mWc5'",
            "pagerduty_token = '‹masked: value of pagerduty_token›'",
        ),
        (
            "client_token: \"c9adb218-3222-4889-8216-0cf0e52dc37e\"",
            "client_token: \"‹masked: value of client_token›\"",
        ),
    ] {
        assert_eq!(shown(text), expected);
    }
}

#[test]
fn keys_are_found_wherever_they_lie_in_a_text() {
    let key = key("ghp_", "q8Wn3rT5yU7iO9pA1sD2fG4hJ6kL8zX0cV2b");
    for before in 0..70 {
        for behind in [0, 1, 15, 16, 17, 1100] {
            let text = format!("{}{key}{}", ". ".repeat(before), " .".repeat(behind));
            assert_eq!(shown(&text).matches("‹masked: GitHub token›").count(), 1, "{before} {behind}");
            let word = format!("{}{key}", "a".repeat(before));
            assert_eq!(shown(&word).contains("masked"), before == 0, "{before}");
        }
    }
}

#[test]
fn a_sum_that_is_right_makes_a_key_of_anything() {
    // The same thirty characters, with and without their sum.
    let right = key("ghp_", "exampleexampleexampleexample00");
    assert_eq!(shown(&format!("{right}3aFs8X")), "ghp_…‹masked: GitHub token›");
    assert_eq!(shown(&format!("{right}AAAAAA")), format!("{right}AAAAAA"));
}

#[test]
fn a_private_key_is_its_lines_and_not_the_name_of_the_format() {
    let framed = |body: &str| format!("-----BEGIN {} KEY-----\n{body}\n-----END", "PRIVATE");
    let first = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCo3wC7";
    let block = framed(&[first; 12].join("\n"));
    assert!(shown(&block).contains("KEY-----‹masked: private key›-----END"), "{}", shown(&block));
    // What documentation leaves of one is its public beginning.
    let shortened = framed(&format!("{first}\n...\n{first}"));
    assert_eq!(shown(&shortened), shortened);
    let code = "if text.startswith(\"-----BEGIN PRIVATE KEY-----\"):";
    assert_eq!(shown(code), code);
    // Frames without an end are each read once.
    let many = format!("-----BEGIN {} KEY-----\n", "PRIVATE").repeat(20_000);
    assert_eq!(shown(&many), many);
}

#[test]
fn values_of_the_project_are_known_wherever_they_are() {
    let own = OwnValues::of(&[
        "# mine\nexport API_TOKEN='plum-tree-77' # x\nPORT=3000\nHOST=localhost\nDB_PASSWORD=postgres\n"
            .into(),
    ]);
    let text = "curl -H x:plum-tree-77 localhost:3000 # postgres, plum-tree-7";
    let masked = mask(text, &find_secrets(text, &own)).unwrap();
    assert_eq!(masked, "curl -H x:‹masked: value of API_TOKEN› localhost:3000 # postgres, plum-tree-7");
}
