"""``tj serve``: the local RPC server with its page."""

from __future__ import annotations

from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import RequestError

PORT = 8649


def run(argv: list[str]) -> int:
    """Serves until it is told to stop."""
    parser = common.parser("serve", "Local RPC server (POST /rpc/<method>) and a page of the savings at /.")
    parser.add_argument("--port", type=int, default=PORT, help=f"loopback port (default {PORT}; 0 picks one)")
    parser.add_argument("--socket", metavar="PATH", help="a Unix socket instead of a port")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--allow-remote", action="store_true", help="yes, listen on an address that others can reach"
    )
    parser.add_argument(
        "--show-content", action="store_true", help="keep the last texts for the page, in memory"
    )
    args = parser.parse_args(argv)
    try:
        from tokenjuice_ml import rpc, rpc_server
    except ImportError as error:
        raise RequestError(f"needs: pip install 'tokenjuice-ml[serve]' ({error})") from None
    if args.host not in rpc.LOOPBACK and not args.allow_remote:
        raise RequestError(f"{args.host} can be reached by others; say --allow-remote if you mean it")
    settings = common.load_settings()
    hosts = rpc.LOOPBACK if args.host in rpc.LOOPBACK else (*rpc.LOOPBACK, args.host)
    app = rpc.build(common.one_shot(settings, "rpc"), hosts=hosts, show_content=args.show_content)
    try:
        return 0 if rpc_server.serve(app, args.host, args.port, args.socket) else 1
    except OSError as error:
        raise RequestError(f"cannot listen: {error}") from None
