"""``tj sidecar start|status|stop|warm|unit``: the saliency process."""

from __future__ import annotations

from tokenjuice_ml.cli import common


def run(argv: list[str]) -> int:
    """Controls the sidecar; 1 when it does not run afterwards as asked."""
    parser = common.parser("sidecar", "The local process that scores words of plain text.")
    parser.add_argument("what", choices=("start", "status", "stop", "warm", "unit"))
    parser.add_argument(
        "--for", dest="manager", choices=("systemd", "launchd"), help="of `unit`: which manager"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_settings(parser)
    args = parser.parse_args(argv)
    from tokenjuice_ml.saliency import control

    settings = common.load_settings().merged(common.options_of(args))
    if args.what == "unit":
        common.write_text(control.unit(settings, args.manager))
        return 0
    answer = getattr(control, args.what)(settings)
    if args.json:
        common.write_json(answer)
    else:
        common.write_text("  ".join(f"{key}={value}" for key, value in answer.items()))
    return 0 if answer.get("ok", True) else 1
