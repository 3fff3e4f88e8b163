mod in_results;

use super::*;

/// What is there, and what is left of it.
const MASKED: &[(&str, &str)] = &[
    // By name.
    ("DB_PASSWORD=hunter2 psql -h db", "DB_PASSWORD=*** psql -h db"),
    (r#"DB_PASSWORD="hunter1 hunter2" psql -h db"#, r#"DB_PASSWORD="***" psql -h db"#),
    (r#"DB_PASSWORD="hunter1 \"hunter2" psql"#, r#"DB_PASSWORD="***" psql"#),
    (r#"DB_PASSWORD="hunter1"hunter2 psql"#, r#"DB_PASSWORD="***" psql"#),
    (r#"DB_PASSWORD=hunter1"hunter2 x"hunter3 psql"#, r#"DB_PASSWORD=***" psql"#),
    ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
    ("export DEPLOY_TOKEN=hunter2; ./go", "export DEPLOY_TOKEN=***; ./go"),
    ("export DEPLOY_TOKEN='hunter2'&&./go", "export DEPLOY_TOKEN='***'&&./go"),
    ("setx API_KEY hunter2", "setx API_KEY ***"),
    ("$env:API_TOKEN = 'hunter2'; go", "$env:API_TOKEN = '***'; go"),
    ("CREATE USER x IDENTIFIED BY = 'hunter2'", "CREATE USER x IDENTIFIED BY = '***'"),
    ("CREATE USER x IDENTIFIED BY 'hunter2';", "CREATE USER x IDENTIFIED BY '***';"),
    ("psql -c \"ALTER ROLE me PASSWORD 'hunter2'\"", "psql -c \"ALTER ROLE me PASSWORD '***'\""),
    ("mysql --password hunter2 -e x", "mysql --password *** -e x"),
    ("tool --token=hunter2 -v", "tool --token=*** -v"),
    ("tool --api-key 'hunter1 hunter2' -v", "tool --api-key '***' -v"),
    ("wget --password=hunter2 --user=me http://x", "wget --password=*** --user=me http://x"),
    ("wget --http-password hunter2 http://x", "wget --http-password *** http://x"),
    ("printf 'password = hunter2\n'", "printf 'password = ***'"),
    ("psql 'host=db password=hunter2 user=x'", "psql 'host=db password=*** user=x'"),
    ("db.password: hunter2", "db.password: ***"),
    ("client_secret: 'hunter2'", "client_secret: '***'"),
    (r#"{"password":"hunter2","n":1}"#, r#"{"password":"***","n":1}"#),
    (r#"{"password": "hunter1 hunter2", "n": 1}"#, r#"{"password": "***", "n": 1}"#),
    (
        r#"{"a":"1","client_secret":"hunter2","token":"hunter3"}"#,
        r#"{"a":"1","client_secret":"***","token":"***"}"#,
    ),
    (r#"{"auths":{"h":{"auth":"aHVudGVyMg=="}}}"#, r#"{"auths":{"h":{"auth":"***"}}}"#),
    (r#"{"auth": "aHVudGVyMg=="}"#, r#"{"auth": "***"}"#),
    ("ALTER USER me PASSWORD = 'hunter2'", "ALTER USER me PASSWORD = '***'"),
    ("//host/:_authToken=hunter2", "//host/:_authToken=***"),
    ("npm config set //host/:_authToken hunter2", "npm config set //host/:_authToken ***"),
    ("npm set _authToken=hunter2", "npm set _authToken=***"),
    ("aws configure set aws_secret_access_key hunter2", "aws configure set aws_secret_access_key ***"),
    ("git config --global github.token hunter2", "git config --global github.token ***"),
    // By program.
    ("docker login -u me -p hunter2 host", "docker login -u me -p *** host"),
    ("docker login -phunter2 host", "docker login -p*** host"),
    ("docker login --password hunter2", "docker login --password ***"),
    ("podman login -p 'hunter2' host", "podman login -p '***' host"),
    ("az login -u me -p hunter2", "az login -u me -p ***"),
    ("az login --service-principal -p=hunter2", "az login --service-principal -p=***"),
    ("openssl enc -aes-256-cbc -k hunter2 -in x", "openssl enc -aes-256-cbc -k *** -in x"),
    ("openssl enc -pass pass:hunter2 -in x", "openssl enc -pass pass:*** -in x"),
    ("openssl rsa -passin pass:hunter2", "openssl rsa -passin pass:***"),
    ("openssl rsa -passin 'pass:hunter2 hunter3' -in x", "openssl rsa -passin 'pass:***' -in x"),
    ("openssl pkcs12 -passout hunter2 -in x", "openssl pkcs12 -passout *** -in x"),
    ("echo hunter2 | sudo -S ls", "echo *** | sudo -S ls"),
    ("echo hunter2|sudo -S ls", "echo ***|sudo -S ls"),
    ("echo 'hunter1 hunter2' | sudo -kS -p '' ls", "echo *** | sudo -kS -p '' ls"),
    ("printf '%s\\n' hunter2 | sudo -S ls", "printf *** | sudo -S ls"),
    ("echo hunter2 | tee /dev/null | sudo -S ls", "echo *** | tee /dev/null | sudo -S ls"),
    ("sudo -S ls <<< hunter2", "sudo -S ls <<< ***"),
    ("sudo -S ls <<<'hunter2 hunter3'", "sudo -S ls <<<'***'"),
    ("sudo -S ls <<EOF\nhunter2\nEOF\nls", "sudo -S ls <<EOF *** EOF ls"),
    ("gh auth login --with-token <<< hunter2", "gh auth login --with-token <<< ***"),
    ("gh auth login --with-token <<<\"hunter2\"", "gh auth login --with-token <<<\"***\""),
    ("echo hunter2 | gh auth login --with-token", "echo *** | gh auth login --with-token"),
    ("echo hunter2 | docker login -u me --password-stdin", "echo *** | docker login -u me --password-stdin"),
    ("echo me:hunter2 | chpasswd", "echo *** | chpasswd"),
    ("gh secret set NAME --body hunter2", "gh secret set NAME --body ***"),
    ("gh secret set NAME -bhunter2", "gh secret set NAME -b***"),
    (
        "kubectl create secret generic x --from-literal=k=hunter2",
        "kubectl create secret generic x --from-literal=k=***",
    ),
    (
        "kubectl create secret generic x --from-literal k=hunter2 -n y",
        "kubectl create secret generic x --from-literal k=*** -n y",
    ),
    (
        "kubectl create secret docker-registry r --docker-password=hunter2",
        "kubectl create secret docker-registry r --docker-password=***",
    ),
    ("vault kv put secret/x k=hunter2 other=hunter3", "vault kv put secret/x k=*** other=***"),
    ("vault kv put -mount=secret x k='hunter2 hunter3'", "vault kv put -mount=secret x k='***'"),
    ("vault login hunter2", "vault login ***"),
    ("fly secrets set A=hunter2 B=hunter3", "fly secrets set A=*** B=***"),
    ("htpasswd -b file me hunter2", "htpasswd -b file me ***"),
    ("htpasswd -cbB file me hunter2", "htpasswd -cbB file me ***"),
    ("htpasswd -nb me hunter2", "htpasswd -nb me ***"),
    ("smbclient //h/s -U me%hunter2", "smbclient //h/s -U me%***"),
    ("rpcclient -Ume%hunter2 h", "rpcclient -Ume%*** h"),
    ("zip -P hunter2 x.zip y", "zip -P *** x.zip y"),
    ("zip -rP hunter2 x.zip y", "zip -rP *** x.zip y"),
    ("unzip -Phunter2 x.zip", "unzip -P*** x.zip"),
    ("7z a -phunter2 x.7z y", "7z a -p*** x.7z y"),
    ("7z x -p'hunter2 hunter3' x.7z", "7z x -p'***' x.7z"),
    ("ssh-keygen -t ed25519 -N hunter2 -f k", "ssh-keygen -t ed25519 -N *** -f k"),
    ("sshpass -p 'hunter1 hunter2' ssh host", "sshpass -p '***' ssh host"),
    ("sshpass -phunter2 ssh host", "sshpass -p*** ssh host"),
    ("mysql -u root -phunter2 -e x", "mysql -u root -p*** -e x"),
    ("/usr/bin/mysql -phunter2", "/usr/bin/mysql -p***"),
    ("sudo mysql -phunter2", "sudo mysql -p***"),
    ("bash -c \"mysql -phunter2\"", "bash -c \"mysql -p***\""),
    ("redis-cli -a hunter2 ping", "redis-cli -a *** ping"),
    ("mongo -u me -p hunter2 db", "mongo -u me -p *** db"),
    ("ldapsearch -D cn=x -w hunter2", "ldapsearch -D cn=x -w ***"),
    ("sqlcmd -S h -U sa -P hunter2", "sqlcmd -S h -U sa -P ***"),
    ("az keyvault secret set --name n --value hunter2", "az keyvault secret set --name n --value ***"),
    (
        "aws secretsmanager create-secret --secret-string hunter2",
        "aws secretsmanager create-secret --secret-string ***",
    ),
    ("curl -u me:hunter2 http://x", "curl -u me:*** http://x"),
    ("curl -ume:hunter2 http://x", "curl -ume:*** http://x"),
    ("curl --user 'me:hunter1 hunter2' http://x", "curl --user 'me:***' http://x"),
    ("curl -b session=hunter2 http://x", "curl -b session=*** http://x"),
    ("curl -b 'session=hunter2; b=hunter3' http://x", "curl -b 'session=***' http://x"),
    ("curl --cookie 'a=hunter2' http://x", "curl --cookie 'a=***' http://x"),
    ("mysqldump -uroot -phunter2 db", "mysqldump -uroot -p*** db"),
    (
        "docker run -e MYSQL_ROOT_PASSWORD=hunter2 -e \"API_KEY=hunter3\" x",
        "docker run -e MYSQL_ROOT_PASSWORD=*** -e \"API_KEY=***\" x",
    ),
    ("docker build --build-arg NPM_TOKEN=hunter2 .", "docker build --build-arg NPM_TOKEN=*** ."),
    ("echo hunter2 | docker secret create x -", "echo *** | docker secret create x -"),
    ("helm upgrade x y --set db.password=hunter2", "helm upgrade x y --set db.password=***"),
    ("terraform apply -var='api_token=hunter2'", "terraform apply -var='api_token=***'"),
    ("gpg --batch --passphrase hunter2 -c f", "gpg --batch --passphrase *** -c f"),
    ("gpg --passphrase-fd 0 -c f <<< hunter2", "gpg --passphrase-fd 0 -c f <<< ***"),
    ("oc login -u me -p hunter2", "oc login -u me -p ***"),
    ("openssl passwd -1 hunter2", "openssl passwd -1 ***"),
    ("echo me:hunter2 | sudo chpasswd", "echo *** | sudo chpasswd"),
    ("keytool -storepass hunter2 -keypass hunter3 -list", "keytool -storepass *** -keypass *** -list"),
    ("mc alias set my http://h ACCESS hunter2", "mc alias set my http://h ACCESS ***"),
    ("rabbitmqctl add_user me hunter2", "rabbitmqctl add_user me ***"),
    ("cargo login hunter2", "cargo login ***"),
    ("lftp -u me,hunter2 h", "lftp -u me,*** h"),
    ("sqlplus me/hunter2@db", "sqlplus me/***"),
    ("SSHPASS=hunter2 sshpass -e ssh h", "SSHPASS=*** sshpass -e ssh h"),
    ("keyring set s me <<< hunter2", "keyring set s me <<< ***"),
    ("net use x: //h/s hunter2 /user:me", "net use x: //h/s *** /user:me"),
    ("restic --password-command 'echo hunter2' ls", "restic --password-command '***' ls"),
    ("snmpget -v2c -c hunter2 h", "snmpget -v2c -c *** h"),
    ("impacket-psexec me:hunter2@h", "impacket-psexec me:***"),
    ("bun publish --auth hunter2", "bun publish --auth ***"),
    ("vsce publish -p hunter2", "vsce publish -p ***"),
    ("codecov -t hunter2", "codecov -t ***"),
    ("aws ssm put-parameter --name x --value hunter2", "aws ssm put-parameter --name x --value ***"),
    ("gcloud secrets create x --data-file=- <<< hunter2", "gcloud secrets create x --data-file=- <<< ***"),
    ("consul kv put x/y hunter2", "consul kv put x/y ***"),
    ("neo4j-admin set-initial-password hunter2", "neo4j-admin set-initial-password ***"),
    ("cypher-shell -p hunter2 -f x", "cypher-shell -p *** -f x"),
    ("msmtp --passwordeval 'echo hunter2'", "msmtp --passwordeval '***'"),
    ("cvs -d :pserver:me:hunter2@h:/r co", "cvs -d :*** co"),
    ("http -a me:hunter2 GET host", "http -a me:*** GET host"),
    ("http POST host password=hunter2", "http POST host password=***"),
    ("poetry config pypi-token.pypi hunter2", "poetry config pypi-token.pypi ***"),
    ("nmcli dev wifi connect x password hunter2", "nmcli dev wifi connect x password ***"),
    ("wmic /user:me /password:hunter2 os", "wmic /user:me /password:*** os"),
    ("ansible-vault encrypt_string 'hunter2' --name x", "ansible-vault encrypt_string '***' --name x"),
    (
        "git -c http.extraHeader=\"Authorization: Basic hunter2\" push",
        "git -c http.extraHeader=\"Authorization: Basic ***\" push",
    ),
    ("git remote set-url origin https://x:hunter2@h/r", "git remote set-url origin https://***@h/r"),
    (
        "kubectl config set-credentials me --password=hunter2",
        "kubectl config set-credentials me --password=***",
    ),
    ("curl -X POST -d 'user=x&password=hunter2&a=b' h", "curl -X POST -d 'user=x&password=***&a=b' h"),
    (
        "curl -F token=hunter2 --data-urlencode \"client_secret=hunter3\" h",
        "curl -F token=*** --data-urlencode \"client_secret=***\" h",
    ),
    ("curl -x http://u:hunter2@p:8080 h", "curl -x http://***@p:8080 h"),
    (
        "curl https://hooks.slack.com/services/T0/B0/hunter2hunter2",
        "curl https://hooks.slack.com/services/***",
    ),
    ("curl https://h/bot123456789:AA0123456789abcdefghijklmnopqrstuvw/x", "curl https://h/bot***/x"),
    ("az storage blob list --account-key hunter2", "az storage blob list --account-key ***"),
    // Headers.
    ("curl -H 'Authorization: Bearer abc.def' http://x", "curl -H 'Authorization: Bearer ***' http://x"),
    ("curl -H \"Authorization: hunter2\" http://x", "curl -H \"Authorization: ***\" http://x"),
    ("curl -H 'X-Api-Key: hunter2' http://x", "curl -H 'X-Api-Key: ***' http://x"),
    (r#"curl -H "Cookie: a=1; b=2" http://x"#, r#"curl -H "Cookie: ***" http://x"#),
    ("< Set-Cookie: sid=hunter2; Path=/; csrf=hunter3\n< Server: x", "< Set-Cookie: *** < Server: x"),
    ("Authorization: Basic aHVudGVyMg==", "Authorization: Basic ***"),
    ("sent Bearer abcdef0123456789", "sent Bearer ***"),
    (
        r#"curl -d '{"api_key": "hunter2", "n": 1}' http://x"#,
        r#"curl -d '{"api_key": "***", "n": 1}' http://x"#,
    ),
    (r#"curl -d "{\"api_key\":\"hunter2\"}" http://x"#, r#"curl -d "{\"api_key\":\"***\"}" http://x"#),
    // Addresses.
    ("curl 'https://host/?a=1&token=hunter2'", "curl 'https://host/?a=1&token=***'"),
    ("curl 'https://host/?api_key=hunter2&b=2'", "curl 'https://host/?api_key=***&b=2'"),
    (
        "curl 'https://h/b?X-Amz-Signature=hunter2&x=1&sig=hunter3'",
        "curl 'https://h/b?X-Amz-Signature=***&x=1&sig=***'",
    ),
    ("git clone https://me:pw@host/r.git", "git clone https://***@host/r.git"),
    ("git clone https://hunter2@host/r.git", "git clone https://***@host/r.git"),
    ("psql postgres://me:hu/nt@er2@db:5432/x", "psql postgres://***@db:5432/x"),
    ("X=redis://:hunter2@h:6379/0 run", "X=redis://***@h:6379/0 run"),
    ("mongosh mongodb+srv://me:hunter2@h/db", "mongosh mongodb+srv://***@h/db"),
    ("amqp://me:hunter2@h/%2f", "amqp://***@h/%2f"),
    (
        "C='DefaultEndpointsProtocol=https;AccountName=x;AccountKey=aHVudGVyMg==;EndpointSuffix=y'",
        "C='DefaultEndpointsProtocol=https;AccountName=x;AccountKey=***;EndpointSuffix=y'",
    ),
    // Keys by their looks.
    ("export X=ghp_0123456789abcdef0123", "export X=ghp_***"),
    ("say AKIAIOSFODNN7EXAMPLE now", "say AKIA*** now"),
    ("x glpat-0123456789abcdefGHIJ,y", "x glpat-***,y"),
    ("x xoxb-0123456789-abcdefghij", "x xoxb-***"),
    ("x sk_live_0123456789abcdefgh", "x sk_live_***"),
    ("x AIzaSyA0123456789abcdefghijklmnop", "x AIza***"),
    ("x sk-proj-0123456789abcdefGHIJ", "x sk-proj-***"),
    ("x sk-ant-api03-0123456789abcdef", "x sk-ant-api03-***"),
    ("x npm_0123456789abcdefghijklmn", "x npm_***"),
    ("x pypi-AgEIcHlwaS5vcmcCJDAxMjM0", "x pypi-***"),
    ("x SG.0123456789abcdefghijkl.mnopq", "x SG.***"),
    ("x SK0123456789abcdef0123456789abcdef", "x SK***"),
    ("x 123456789:AA0123456789abcdefghijklmnopqrstuvw", "x ***"),
    ("x dop_v1_0123456789abcdef0123", "x dop_v1_***"),
    ("x hf_abcdefghIJKLMNOP0123", "x hf_***"),
    ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "x eyJ***"),
    (
        "echo '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----' > k && ls",
        "echo '-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----' > k && ls",
    ),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "-----BEGIN OPENSSH PRIVATE KEY-----***"),
    ("machine h login me password hunter2", "machine h login me password ***"),
];

/// What is not a secret.
const LEFT: &[&str] = &[
    "git push -u origin main",
    "git status && npm ci --prefix web",
    "git commit -m \"token handling\"",
    "git commit -m 'Ask for the password again; see key 4'",
    "git checkout 49dd7a5f0c1d2e3a4b5c6d7e8f9a0b1c2d3e4f5a",
    "echo sk-learn-contrib-something",
    "npm_config_registry=x npm run pypi-attestations-check",
    "curl https://host/a@b",
    "curl https://host:8080/a@b?x=1&y=2",
    "git clone git@host:me/r.git",
    "git clone ssh://git@host/r.git",
    "sudo -u postgres psql -p 5432",
    "grep -n 'password' src/a.rs",
    "docker run -p 8080:80 -u 1000:1000 x",
    "docker login -u me --password-stdin < file",
    "docker compose -p shop up",
    "gh auth login --with-token < file",
    "mkdir -p x/y && ssh -p 22 host && cp -p a b",
    "mysql --password=$PASSWORD -e x",
    "mysql -p\"$PASSWORD\" -e x",
    "curl -u me:$PASSWORD -H \"Authorization: Bearer $TOKEN\" http://x",
    "curl -H \"Authorization: Bearer ${TOKEN}\" http://x",
    "echo \"$PW\" | sudo -S ls",
    "printf '%s' \"$PW\" | docker login --password-stdin",
    "TOKEN=$(gh auth token) npm run e2e",
    "TOKEN=\"$(cat f)\" run",
    "https://$USER:$PASS@host",
    "openssl enc -pass env:PW -in x",
    "openssl req -x509 -newkey rsa:4096 -keyout k -out c",
    "curl --key client.pem --cert c.pem http://x",
    "curl -b cookies.txt -c cookies.txt http://x",
    "kubectl get secret x -o name",
    "kubectl create configmap x --from-literal=k=v",
    "vault kv get secret/x",
    "ssh-keygen -t ed25519 -N '' -f k",
    "zip -r x.zip y && unzip -p x.zip",
    "7z x x.7z -oout",
    "cat PWD=/home/me OLDPWD=/tmp",
    "PASS: 12 tests",
    "def login(user: str, password: str):",
    "const token: string = f()",
    "echo hello | sudo tee /etc/x",
    "echo a | grep b; sudo -S ls",
    "the bearer of news",
    "ls --show-token --no-password x",
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    "{\"primary_key\": \"id\", \"public_key\": \"x\"}",
    "make test:unit a=b",
    "cargo test login && cargo build -p app",
    "helm upgrade x y -f values.yaml --set image.tag=1",
    "kubectl port-forward svc/x -p 80",
    "oc get pods -p x",
    "http GET host a:b",
    "npm run pass -- insert",
    "openssl dgst -sha256 file",
    "net use",
];

#[test]
fn secrets_go_and_the_rest_stays() {
    let wrong = MASKED.iter().filter(|(text, expected)| {
        redact(text) != *expected || redact_all(text).contains("hunter") && text != expected
    });
    let wrong: Vec<_> =
        wrong.map(|(text, expected)| format!("{text}\n  {}\n  {expected}", redact(text))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_secret_stays() {
    let wrong: Vec<_> =
        LEFT.iter().map(|text| redact_all(text)).filter(|text| !LEFT.contains(&text.as_str())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn masking_twice_is_masking_once() {
    for text in MASKED.iter().map(|(text, _)| text).chain(LEFT) {
        let once = redact(text);
        assert_eq!(redact(&once), once, "{text}");
        let once = redact_all(text);
        assert_eq!(redact_all(&once), once, "{text}");
    }
    let long = redact(&"a word ".repeat(100));
    assert_eq!(redact(&long), long);
}

#[test]
fn secrets_are_known_by_themselves() {
    for (text, found) in [
        ("echo hunter2 | sudo -S ls", &["hunter2"][..]),
        ("mysql -phunter2 -e 'x'", &["hunter2"]),
        ("DB_PASSWORD='hunter1 hunter2' run", &["hunter1", "hunter2"]),
        ("curl -u me:hunter2 'https://h/?token=hunter3&a=1'", &["hunter2", "hunter3"]),
        ("ls -la", &[]),
    ] {
        assert_eq!(secrets(text), found, "{text}");
    }
}

#[test]
fn what_leaves_the_machine_is_masked_to_its_end_and_otherwise_as_it_was() {
    let long = "echo  one\n\tdone\n".repeat(1000);
    assert_eq!(redact_all(&long), long);
    let (text, expected) = ("DB_PASSWORD=hunter2 run\n", "DB_PASSWORD=*** run\n");
    assert_eq!(redact_all(&format!("{long}{text}")), format!("{long}{expected}"));
}

#[test]
fn a_secret_that_is_longer_than_a_log_line_is_still_known_by_who_reads_it() {
    let text = format!("echo {} | sudo -S ls", "hunter2 ".repeat(40));
    assert_eq!(redact(&text), "echo ***  | sudo -S ls");
}

#[test]
fn the_result_is_one_bounded_line() {
    for text in ["é\n".repeat(1000), "x".repeat(1_000_000), format!("token='{}", "é ".repeat(100_000))] {
        let out = redact(&text);
        assert!(out.chars().count() <= LONGEST + 1 && !out.contains('\n'), "{out}");
    }
}

#[test]
fn no_mixture_of_signs_is_too_odd() {
    const PIECES: &[&str] = &[
        "'", "\"", "\\", "=", ":", "é", " ", "token", "--key", "-u", "mysql ", "-p", "https://", "@", "$",
        "|", "<<<", "sudo -S", "echo ", "%", "&a=", ";",
    ];
    let size = PIECES.len();
    for number in 0..size.pow(3) {
        let digits = [1, size, size * size].map(|power| number / power % size);
        let text: String = digits.map(|digit| PIECES[digit]).concat();
        let once = redact(&format!("{text} x"));
        assert!(!once.contains('\n'), "{text}");
    }
}

/// Quadratic work would take minutes, and the runner's patience ends.
#[test]
fn a_long_word_is_read_once() {
    let text =
        r#"{"token":"hunter2","u":"http://a:hunter2@b","k":"ghp_0123456789abcdef0123"},"#.repeat(20_000);
    assert!(!redact_all(&text).contains("hunter2"));
    for text in ["a=", "token=", "\"", "'", "://", "@", "&a=", "<<", "-p"] {
        redact_all(&text.repeat(200_000));
    }
}
