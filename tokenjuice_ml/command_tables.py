"""What is known about wrappers, runners and global options: data for `command.py`."""

from __future__ import annotations

# Names under which hosts offer a shell.
SHELL_TOOLS = frozenset(
    ("exec", "bash", "shell", "sh", "terminal", "run_terminal_cmd", "execute_command", "run_command")
)

# Wrappers: (options that take a value, positional words before the command).
WRAPPERS: dict[str, tuple[frozenset[str], int]] = {
    name: (frozenset(options.split()), skip)
    for name, options, skip in (
        ("sudo", "-u -g -h -p -C -r -t -D -R -T --user --group --host --prompt --chdir --role --type", 0),
        ("doas", "-u -C", 0),
        ("time", "-f -o --format --output", 0),
        ("timeout", "-s -k --signal --kill-after", 1),
        ("gtimeout", "-s -k --signal --kill-after", 1),
        ("nice", "-n --adjustment", 0),
        ("ionice", "-c -n -p --class --classdata", 0),
        ("nohup", "", 0),
        ("setsid", "", 0),
        ("stdbuf", "-i -o -e --input --output --error", 0),
        ("unbuffer", "", 0),
        ("chrt", "", 1),
        ("taskset", "", 1),
        ("flock", "-w -E --timeout --conflict-exit-code", 1),
        ("caffeinate", "-t -w", 0),
        ("command", "", 0),
        ("builtin", "", 0),
        ("exec", "-a", 0),
        ("winpty", "", 0),
        ("chronic", "", 0),
        ("corepack", "", 0),
        ("busybox", "", 0),
        ("xvfb-run", "-n -s -e -f -p --server-args --server-num", 0),
        ("dbus-run-session", "--config-file", 0),
        ("cross-env", "", 0),
        ("dotenv", "-e -f --file", 0),
        ("dotenvx", "-f --env-file", 0),
        ("ccache", "", 0),
        ("sccache", "", 0),
        ("rtk", "", 0),
        ("uvx", "--from --with -p --python --index --index-url", 0),
        ("npx", "-p --package -c --call -w --workspace", 0),
        ("bunx", "-p --package", 0),
        ("pnpx", "-p --package", 0),
        ("pipx-run", "", 0),
    )
}

# Runners: a program with a verb phrase. "--" in `until` means the command stands after it.
RUNNERS: dict[tuple[str, ...], tuple[frozenset[str], int]] = {
    tuple(name.split()): (frozenset(options.split()), skip)
    for name, options, skip in (
        (
            "uv run",
            "--with --with-editable --with-requirements --python -p --extra --group --only-group --package --project"
            " --directory --env-file --index --default-index --index-url --extra-index-url --no-extra --no-group"
            " --color --config-file --cache-dir --find-links -f --refresh-package --reinstall-package",
            0,
        ),
        ("uv tool run", "--from --with --python -p --index", 0),
        ("pipx run", "--spec --python --pip-args --index-url", 0),
        ("poetry run", "", 0),
        ("pipenv run", "", 0),
        ("pdm run", "-p --project --venv", 0),
        ("rye run", "", 0),
        ("hatch run", "", 0),
        ("pixi run", "-e --environment --manifest-path", 0),
        ("conda run", "-n -p --name --prefix --cwd", 0),
        ("mamba run", "-n -p --name --prefix", 0),
        ("micromamba run", "-n -p --name --prefix", 0),
        ("pnpm exec", "--filter -F -C --dir", 0),
        ("pnpm dlx", "--package", 0),
        ("yarn exec", "", 0),
        ("yarn dlx", "-p --package", 0),
        ("npm exec", "-p --package -c --call -w --workspace", 0),
        ("bun x", "", 0),
        ("bundle exec", "--gemfile", 0),
        ("mise exec", "-C -E --env", 0),
        ("asdf exec", "", 0),
        ("rbenv exec", "", 0),
        ("pyenv exec", "", 0),
        ("nodenv exec", "", 0),
        ("volta run", "--node --npm --yarn", 0),
        ("fnm exec", "--using", 0),
        ("direnv exec", "", 1),
        ("doppler run", "-p -c --project --config", 0),
        ("op run", "--env-file --account", 0),
        ("aws-vault exec", "-d --duration", 1),
        ("docker exec", "-e -w -u --env --workdir --user --env-file --detach-keys", 1),
        ("podman exec", "-e -w -u --env --workdir --user --env-file", 1),
        ("docker compose exec", "-e -w -u --env --workdir --user --index", 1),
        ("docker compose run", "-e -w -u -v -p --env --workdir --user --name --entrypoint --volume", 1),
        ("kubectl exec", "-c --container -n --namespace", 1),
        ("oc exec", "-c --container -n --namespace", 1),
        ("opam exec", "--switch", 0),
        ("stack exec", "", 0),
        ("cabal exec", "", 0),
        ("dotnet tool run", "", 0),
        ("coverage run", "--rcfile --source --omit --include --data-file --context", 0),
        ("tj wrap", "--timeout --tool", 0),
        ("tokenjuice-ml wrap", "--timeout --tool", 0),
        ("tokenjuice wrap", "--source --max-inline-chars --max-capture-bytes", 0),
    )
}
RUNNER_PROGRAMS = frozenset(phrase[0] for phrase in RUNNERS)
# Here the command only stands after "--"; words before it are the runner's own.
DASHED = frozenset({"mise exec", "doppler run", "op run", "aws-vault exec", "kubectl exec", "oc exec"})

SHELLS = frozenset("bash sh zsh fish dash ksh mksh ash csh tcsh powershell pwsh cmd wsl".split())

# Global options with a value, before (or among) the verbs.
GLOBAL_VALUES: dict[str, frozenset[str]] = {
    name: frozenset(options.split())
    for name, options in {
        "git": "-C -c --git-dir --work-tree --namespace --super-prefix --config-env",
        "docker": "--context -c -H --host -l --log-level --config --tlscacert --tlscert --tlskey"
        " -f --file -p --project-name --profile --env-file --project-directory --ansi --progress",
        "podman": "-c --connection --url --log-level --root",
        "kubectl": "-n --namespace --context --cluster --kubeconfig --user -s --server --as --token --request-timeout",
        "oc": "-n --namespace --context --cluster --kubeconfig --user -s --server --as --token",
        "helm": "-n --namespace --kube-context --kubeconfig --registry-config",
        "npm": "--prefix -w --workspace -C --loglevel --registry",
        "pnpm": "-C --dir --filter -F --loglevel --reporter",
        "yarn": "--cwd --mutex",
        "bun": "--cwd --filter -c --config",
        "cargo": "--config -Z --color -C --manifest-path -p --package --target --features -F --profile -j",
        "rustup": "--toolchain",
        "terraform": "",
        "systemctl": "-H -M -t -p -s -o --host --machine --type --property --state --lines",
        "gh": "-R --repo",
        "aws": "--profile --region --output --endpoint-url --query --color",
        "gcloud": "--project --account --format --configuration --verbosity --region --zone",
        "az": "--subscription --output -o --query -g",
        "make": "-C -f -I -o -W --directory --file --makefile --include-dir --old-file",
        "ninja": "-C -f -k -l -j -d -t -w",
        "go": "-C",
        "apt-get": "-o -c -t --option --config-file --target-release",
        "apt": "-o -c -t --option --config-file --target-release",
        "pip": "--python --log --proxy --retries --timeout --exists-action --cert --cache-dir",
        "uv": "--directory --project --config-file --color --cache-dir --python",
        "poetry": "-C -P --directory --project",
        "bundle": "--gemfile",
        "gradle": "-p -b -c -I -g -x --project-dir --build-file --init-script --exclude-task --console",
        "gradlew": "-p -b -c -I -g -x --project-dir --build-file --init-script --exclude-task --console",
        "mvn": "-f -pl -P -s -gs -l -T -rf --file --projects --activate-profiles --settings --log-file --threads",
        "mvnw": "-f -pl -P -s -gs -l -T -rf --file --projects --activate-profiles --settings",
        "bazel": "",
        "just": "-f -d --justfile --working-directory --shell",
        "mise": "-C -E --cd --env",
        "tox": "-e -c -p --workdir",
        "nox": "-s -e -f --sessions --noxfile",
        "dotnet": "",
        "python": "-c -W -X --check-hash-based-pycs",
        "node": "-e -p --eval --print -r --require --import --loader -C --conditions --env-file",
        "ruby": "-e -I -r -C -E",
        "php": "-r -d -c -z",
        "ip": "-n -family -netns",
        "ansible": "-i -m -a -u -l -e",
        "nix": "--option --store",
        "brew": "",
        "psql": "",
        "wrangler": "-c --config -e --env",
        "pulumi": "-C --cwd -s --stack --color",
        "terragrunt": "--terragrunt-config --terragrunt-working-dir",
        "rails": "-e",
        "artisan": "",
        "flyctl": "-a --app -c --config",
        "fly": "-a --app -c --config",
        "vercel": "--cwd -S --scope -t --token",
    }.items()
}

# Programs whose words are operands, not verbs.
VERBLESS = frozenset(
    "grep rg ag ack find fd ls cat head tail less more bat nl sed awk gawk jq yq echo printf wc sort uniq cut tr"
    " tee xargs ps df du free top htop vmstat iostat lsof netstat ss file stat tree curl wget ssh scp rsync ping"
    " dig nslookup host traceroute tar zip unzip gzip gcc g++ clang clang++ cc c++ javac java rustc tsc eslint"
    " prettier pytest mypy pyright pylint flake8 black jest mocha psql mysql sqlite3 mongosh redis-cli diff"
    " cmp patch which type man env date kill pkill id uname journalctl dmesg ffmpeg mediainfo cmake perl lua"
    " shellcheck hadolint yamllint markdownlint pg_dump http https".split()
)

# Programs whose words are all targets: any of them can be the verb of a rule.
TASK_RUNNERS = frozenset(
    "make gmake just rake mvn mvnw gradle gradlew ant ninja msbuild nmake task invoke nox nx turbo lerna".split()
)

PROGRAM_ALIASES = {
    "k": "kubectl",
    "tf": "terraform",
    "tofu": "terraform",
    "batcat": "bat",
    "nodejs": "node",
    "gmake": "make",
    "ggrep": "grep",
    "egrep": "grep",
    "fgrep": "grep",
    "zgrep": "grep",
    "gfind": "find",
    "gsed": "sed",
    "gawk": "awk",
    "fdfind": "fd",
    "py": "python",
    "py.test": "pytest",
    "python3": "python",
    "pypy": "python",
    "pypy3": "python",
    "pip3": "pip",
    "apt-fast": "apt-get",
    "ls.exe": "ls",
    "gci": "ls",
    "get-childitem": "ls",
    "dir": "ls",
    "select-string": "grep",
    "get-content": "cat",
    "gc": "cat",
    "type": "type",
    "docker.io": "docker",
    "cc1": "gcc",
}

VERB_ALIASES: dict[str, dict[str, str]] = {
    "npm": {
        "i": "install",
        "in": "install",
        "ins": "install",
        "add": "install",
        "isntall": "install",
        "clean-install": "ci",
        "ic": "ci",
        "t": "test",
        "tst": "test",
        "list": "ls",
        "la": "ls",
        "ll": "ls",
        "un": "uninstall",
        "rm": "uninstall",
        "remove": "uninstall",
        "run-script": "run",
        "rum": "run",
        "up": "update",
        "upgrade": "update",
    },
    "pnpm": {
        "i": "install",
        "t": "test",
        "tst": "test",
        "list": "ls",
        "la": "ls",
        "ll": "ls",
        "rm": "remove",
        "run-script": "run",
        "up": "update",
    },
    "yarn": {"i": "install"},
    "bun": {"i": "install"},
    "cargo": {"b": "build", "c": "check", "t": "test", "r": "run", "d": "doc", "rm": "remove"},
    "git": {"st": "status", "co": "checkout", "br": "branch", "ci": "commit"},
    "kubectl": {"desc": "describe"},
    "brew": {"up": "update", "dr": "doctor", "ls": "list"},
    "gh": {},
}

# Node tools that yarn, pnpm, bun and npm start by their bare name.
NODE_TOOLS = frozenset(
    "jest vitest mocha tsc eslint prettier biome oxlint vite webpack rollup esbuild tsup tsdown playwright cypress"
    " ava tap karma next nuxt astro turbo nx lerna stylelint ts-node tsx storybook svelte-check vue-tsc ng"
    " jasmine wdio parcel rspack babel swc tslint markdownlint".split()
)

# Package names that start a program of another name.
PACKAGE_PROGRAMS = {
    "typescript": "tsc",
    "@angular/cli": "ng",
    "@vue/cli-service": "vue-cli-service",
    "@playwright/test": "playwright",
    "markdownlint-cli": "markdownlint",
    "pytest-xdist": "pytest",
}

# Segments that print nothing of their own: they prepare, and the command comes after.
SETUP = frozenset(
    "cd pushd popd chdir set source . export unset trap true : alias unalias shopt ulimit umask wait hash pwd"
    " local declare typeset readonly test [ [[ exit return false read let setlocal exec-env workon deactivate"
    " setopt unsetopt bind stty tput clear reset sync".split()
)
# Silent unless asked to talk (-v): setup only where another command follows.
QUIET = frozenset(
    "mkdir rmdir touch rm cp mv ln chmod chown install mktemp sleep kill pkill killall usleep".split()
)
SETUP_VERBS = frozenset(
    {
        ("nvm", "use"),
        ("fnm", "use"),
        ("conda", "activate"),
        ("mamba", "activate"),
        ("module", "load"),
        ("pyenv", "shell"),
        ("git", "config"),
        ("tmux", "select-pane"),
        ("ssh-add", ""),
    }
)
CONTROL = frozenset("if then else elif fi for while until do done case esac select function in".split())

FILE_READERS = frozenset("cat head tail nl bat less more zcat type get-content gc most view".split())
# Programs whose arguments are text to print: their words never name a command.
# What these say stays true line by line, in whatever order.
LINE_LINTERS = frozenset(
    "flake8 pycodestyle pyflakes ruff mypy pylint pyright shellcheck yamllint hadolint staticcheck tsc".split()
)
TEXT_PRINTERS = frozenset("echo printf cat head tail less more bat nl which type man whatis".split())
