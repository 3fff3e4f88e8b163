# Untried where it was written: there was no Nix. `nix build`, `nix run . -- try`, `nix profile install`.
{
  description = "One binary that answers every hook of a coding agent";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package.version;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "plimsoll";
          inherit version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "plimsoll" ];
          # The commit is not in what Nix copies.
          env.PLIMSOLL_COMMIT = self.rev or "";
          # The tests start git, clients and linters; they run in CI.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/plimsoll man --to man
            installManPage man/*.1
            installShellCompletion --cmd plimsoll \
              --bash <($out/bin/plimsoll completions bash) \
              --zsh <($out/bin/plimsoll completions zsh) \
              --fish <($out/bin/plimsoll completions fish)
          '';
          meta.mainProgram = "plimsoll";
        };
      });
    };
}
