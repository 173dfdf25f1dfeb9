"""A server of a FastMCP project, as its documentation shows one."""

from mcp.server.fastmcp import FastMCP

mcp = FastMCP("articles")


@mcp.tool()
def create_article(title: str, body_markdown: str, tags: list[str], published: bool = False) -> str:
    """Create an article. Drafts stay private until they are published."""
    return title


if __name__ == "__main__":
    mcp.run()
