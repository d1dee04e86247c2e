"""Older and newer forms of a tool's output: the rule still finds what matters in the noise around it."""

from __future__ import annotations

import pytest

from tests.rules.helpers import chosen, run
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import ToolOutput

LINES = 160

# name: (command, exit code, one line of noise with {n}, the part that matters, facts)
FORMS: dict[str, tuple[str, int, str, str, tuple[str, ...]]] = {
    "nextest": (
        "cargo nextest run",
        100,
        "        PASS [   0.00{n}s] shop tests::case_{n}",
        """        FAIL [   0.004s] shop tests::tax
--- STDOUT:              shop tests::tax ---

running 1 test
test tests::tax ... FAILED

--- STDERR:              shop tests::tax ---
thread 'tests::tax' panicked at src/lib.rs:41:9:
assertion `left == right` failed
  left: 100
 right: 119
""",
        ("src/lib.rs:41:9", "left: 100", "right: 119", "shop tests::tax"),
    ),
    "gradle 8": (
        "./gradlew build",
        1,
        "> Task :part{n}:compileJava UP-TO-DATE",
        """> Task :app:compileKotlin FAILED
e: file:///home/dev/app/src/main/kotlin/Order.kt:41:17 Unresolved reference: taxRate
w: file:///home/dev/app/src/main/kotlin/Order.kt:3:1 unused import

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:compileKotlin'.
> A failure occurred while executing org.jetbrains.kotlin.compilerRunner.GradleCompilerRunnerWithWorkers
   > Compilation error. See log for more details

* Try:
> Run with --stacktrace option to get the stack trace.
""",
        (
            "Order.kt:41:17 Unresolved reference: taxRate",
            "Execution failed for task ':app:compileKotlin'",
            "Compilation error",
        ),
    ),
    "surefire 2": (
        "mvn test",
        1,
        "[INFO] Downloaded from central: https://registry.example.org/lib{n}.jar ({n} kB at 1 MB/s)",
        """Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.02 sec <<< FAILURE! - in com.acme.OrderTest
addsTax(com.acme.OrderTest)  Time elapsed: 0.01 sec  <<< FAILURE!
java.lang.AssertionError: expected:<119> but was:<100>
\tat org.junit.Assert.fail(Assert.java:88)
\tat com.acme.OrderTest.addsTax(OrderTest.java:41)

Results :

Failed tests:
  OrderTest.addsTax:41 expected:<119> but was:<100>

Tests run: 4, Failures: 1, Errors: 0, Skipped: 0

[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project shop: There are test failures.
""",
        ("expected:<119> but was:<100>", "OrderTest.addsTax:41", "on project shop"),
    ),
    "spring boot in maven": (
        "mvn -B verify",
        1,
        "2026-03-04 10:00:00.{n} DEBUG 41 --- [main] o.s.b.f.s.DefaultListableBeanFactory : Creating bean {n}",
        """[ERROR] com.acme.ShopIT.contextLoads -- Time elapsed: 0.004 s <<< ERROR!
java.lang.IllegalStateException: Failed to load ApplicationContext
\tat org.springframework.test.context.cache.DefaultCacheAwareContextLoaderDelegate.loadContext(DefaultCacheAwareContextLoaderDelegate.java:180)
Caused by: org.postgresql.util.PSQLException: Connection to localhost:5432 refused.
\tat org.postgresql.core.v3.ConnectionFactoryImpl.openConnectionImpl(ConnectionFactoryImpl.java:346)
\t... 41 more
[ERROR] Tests run: 1, Failures: 0, Errors: 1, Skipped: 0
""",
        ("ShopIT.contextLoads", "Connection to localhost:5432 refused", "Errors: 1"),
    ),
    "webpack 4": (
        "npm run build",
        2,
        "[{n}] ./node_modules/lib/part{n}.js 1.{n} KiB {{0}} [built]",
        """ERROR in ./src/index.js
Module not found: Error: Can't resolve './orders' in '/home/dev/app/src'
 @ ./src/index.js 3:0-30
""",
        ("Can't resolve './orders'", "ERROR in ./src/index.js"),
    ),
    "create-react-app": (
        "npm run build",
        1,
        "Compiling chunk {n} of the production build...",
        """Failed to compile.

src/Order.tsx:41:17 - error TS2339: Property 'totl' does not exist on type 'Cart'.

    39 |
  > 41 |   return cart.totl;
       |               ^^^^
""",
        ("src/Order.tsx:41:17", "Property 'totl' does not exist", "> 41 |"),
    ),
    "angular": (
        "npx ng build",
        1,
        "chunk {n} | part-{n}.js | lazy | {n}.41 kB |",
        """✘ [ERROR] TS2339: Property 'totl' does not exist on type 'Cart'. [plugin angular-compiler]

    src/app/order.component.ts:41:17:
      41 │     return this.cart.totl;
         ╵                      ~~~~
""",
        ("Property 'totl' does not exist", "src/app/order.component.ts:41:17"),
    ),
    "vite 4": (
        "vite build",
        1,
        "dist/assets/part{n}.js   1.{n} kB │ gzip: 0.4 kB",
        """error during build:
RollupError: Could not resolve "./orders" from "src/main.ts"
    at error (file:///home/dev/app/node_modules/rollup/dist/es/shared/parseAst.js:337:30)
    at ModuleLoader.handleInvalidResolvedId (file:///home/dev/app/node_modules/rollup/dist/es/shared/node-entry.js:18000:24)
""",
        ('Could not resolve "./orders" from "src/main.ts"',),
    ),
    "next 14": (
        "next build",
        1,
        "   Generating static pages ({n}/160)",
        """Failed to compile.

./app/orders/page.tsx:41:7
Type error: Type 'string' is not assignable to type 'number'.

  40 |   const id = params.id;
> 41 |   total(id);
     |         ^
""",
        ("./app/orders/page.tsx:41:7", "is not assignable to type 'number'", "> 41 |"),
    ),
    "dotnet testing platform": (
        "dotnet test",
        2,
        "passed Case_{n} (0ms)",
        """failed Total_IncludesTax (12ms)
  Assert.AreEqual failed. Expected:<119>. Actual:<100>.
    at Shop.Tests.OrderTests.Total_IncludesTax() in /home/dev/app/OrderTests.cs:41

Test run summary: Failed!
  total: 161
  failed: 1
""",
        ("Expected:<119>. Actual:<100>.", "OrderTests.cs:41", "failed: 1"),
    ),
    "phpunit 11": (
        "vendor/bin/phpunit --testdox",
        1,
        " ✔ Case {n} holds",
        """ ✘ Total includes tax
   ┐
   ├ Failed asserting that 100 matches expected 119.
   │
   │ /home/dev/app/tests/OrderTest.php:41
   ┴

There was 1 failure:

1) OrderTest::testTotalIncludesTax
Failed asserting that 100 matches expected 119.

/home/dev/app/tests/OrderTest.php:41

FAILURES!
Tests: 161, Assertions: 161, Failures: 1.
""",
        ("Failed asserting that 100 matches expected 119.", "OrderTest.php:41", "Failures: 1"),
    ),
    "pest": (
        "vendor/bin/pest",
        1,
        "  ✓ it holds case {n}                                             0.01s",
        """  ⨯ it includes tax                                                0.02s
  ────────────────────────────────────────────────────────────────────
   FAILED  Tests\\Unit\\OrderTest > it includes tax
  Failed asserting that 100 is identical to 119.

  at tests/Unit/OrderTest.php:41

  Tests:    1 failed, 160 passed (161 assertions)
""",
        (
            "Failed asserting that 100 is identical to 119.",
            "tests/Unit/OrderTest.php:41",
            "1 failed, 160 passed",
        ),
    ),
    "rails": (
        "bin/rails test",
        1,
        ".................................................... {n}",
        """Failure:
OrderTest#test_includes_tax [test/models/order_test.rb:41]:
Expected: 119
  Actual: 100

bin/rails test test/models/order_test.rb:40

161 runs, 161 assertions, 1 failures, 0 errors, 0 skips
""",
        (
            "OrderTest#test_includes_tax",
            "Expected: 119",
            "bin/rails test test/models/order_test.rb:40",
            "1 failures",
        ),
    ),
    "go 1.24": (
        "go test -v ./...",
        1,
        "--- PASS: TestCase{n} (0.00s)",
        """=== NAME  TestTax
    orders_test.go:41:
        \tError Trace:\t/home/dev/app/orders_test.go:41
        \tError:      \tNot equal:
        \t            \texpected: 119
        \t            \tactual  : 100
        \tTest:       \tTestTax
--- FAIL: TestTax (0.00s)
FAIL
FAIL\texample.org/shop/orders\t0.004s
""",
        ("expected: 119", "actual  : 100", "--- FAIL: TestTax", "example.org/shop/orders"),
    ),
    "buildkit in a terminal": (
        "docker build .",
        1,
        " => CACHED [build {n}/160] RUN step {n}                                        0.0s",
        """ => ERROR [build 161/161] RUN make                                          4.1s
------
 > [build 161/161] RUN make:
3.912 src/main.c:41:3: error: expected expression
4.001 make: *** [Makefile:9: main.o] Error 1
------
Dockerfile:9
--------------------
   9 | >>> RUN make
--------------------
ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2
""",
        ("src/main.c:41:3: error: expected expression", ">>> RUN make", "exit code: 2"),
    ),
    "terraform with a box": (
        "terraform apply",
        1,
        "aws_subnet.part[{n}]: Refreshing state... [id=subnet-{n}]",
        """╷
│ Error: creating RDS DB Instance (main): InvalidParameterCombination
│
│   with aws_db_instance.main,
│   on main.tf line 41, in resource "aws_db_instance" "main":
│   41: resource "aws_db_instance" "main" {
│
╵
""",
        ("InvalidParameterCombination", "on main.tf line 41", "with aws_db_instance.main"),
    ),
    "pytest in French": (
        "pytest",
        1,
        "tests/test_part{n}.py .......                                        [ 41%]",
        """=================================== FAILURES ===================================
__________________________________ test_taxe ___________________________________

    def test_taxe():
>       assert total(100) == 119, "la taxe n'est pas comptée"
E       AssertionError: la taxe n'est pas comptée
E       assert 100 == 119

tests/test_taxe.py:41: AssertionError
=========================== short test summary info ============================
FAILED tests/test_taxe.py::test_taxe - AssertionError: la taxe n'est pas comptée
""",
        ("assert 100 == 119", "tests/test_taxe.py:41", "la taxe n'est pas comptée"),
    ),
    "gcc in Japanese": (
        "gcc -c src/main.c",
        1,
        "src/part{n}.c:3:7: 警告: 使用されない変数 ‘x{n}’ です [-Wunused-variable]",
        """src/main.c:41:3: エラー: ‘taxRate’ が宣言されていません (この関数内での最初の使用)
   41 |   return total * taxRate;
      |                  ^~~~~~~
""",
        ("src/main.c:41:3: エラー", "return total * taxRate;"),
    ),
    "a tool of tomorrow": (
        "cargo build",
        101,
        "   Compiling part{n} v0.{n}.0",
        """problem[E0999]: the borrow of `cart` cannot outlive it
  ┌─ src/lib.rs:41:9
  │
41│     cart.totl
build stopped: 1 problem
""",
        ("E0999", "src/lib.rs:41:9"),
    ),
}


PACKAGE_FORMS = {
    "turbo": ("turbo run test", "@shop/api:test: "),
    "pnpm": ("pnpm -r test", "packages/api test: "),
    "nx": ("npx nx run-many -t test", "[api] "),
}
JEST = """FAIL src/orders.test.ts
  ● orders › adds tax

    expect(received).toBe(expected) // Object.is equality

    Expected: 119
    Received: 100

    > 40 |     expect(total(100)).toBe(119);
         |                        ^
      at Object.toBe (src/orders.test.ts:40:24)

Tests:       1 failed, 240 passed, 241 total"""


@pytest.mark.parametrize("runner", PACKAGE_FORMS)
def test_package_name_before_each_line(runner: str) -> None:
    command, prefix = PACKAGE_FORMS[runner]
    filler = [f"PASS src/part{at}.test.ts" for at in range(LINES)]
    lines = [*filler, *JEST.split("\n"), *filler]
    text = "\n".join(prefix + line for line in lines) + "\n"
    output = ToolOutput(text=text, tool="exec", command=command, exit_code=1)
    rule = chosen(output)
    assert rule is not None
    reduction = run(rule, output)
    assert reduction is not None
    facts = ("adds tax", "Expected: 119", "Received: 100", "orders.test.ts:40:24", "1 failed, 240 passed")
    assert [fact for fact in facts if fact not in reduction.text] == []
    assert estimate(reduction.text) < 0.2 * estimate(text)


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    command, code, noise, part, facts = FORMS[name]
    filler = [noise.format(n=at) for at in range(LINES)]
    text = "\n".join([*filler[: LINES // 2], part.rstrip("\n"), *filler[LINES // 2 :]]) + "\n"
    output = ToolOutput(text=text, tool="exec", command=command, exit_code=code)
    rule = chosen(output)
    body = text
    if rule is not None:
        reduction = run(rule, output)
        assert reduction is not None
        body = reduction.text
        assert estimate(body) < 0.5 * estimate(text)
    assert [fact for fact in facts if fact not in body] == []
