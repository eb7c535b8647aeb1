"""What the pictures of the documentation have in common: dark where the reader's system is, letters of 11 pixels where the
picture is 400 wide."""


def opening(width, height, label):
    letters = -(-11 * width // 400)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">
<style>
svg {{ background: #ffffff }}
text {{ font-family: sans-serif; font-size: {letters}px; fill: #1c2733 }} .quiet {{ fill: #5a6773 }}
.grid {{ stroke: #d5dbe1 }} .ours {{ fill: #1666b0 }} .theirs {{ fill: none; stroke: #b8561b; stroke-width: 3 }} .span {{ stroke: #9aa7b3; stroke-width: 2 }}
.line {{ fill: none; stroke-width: 2 }} .a {{ stroke: #1666b0 }} .b {{ stroke: #b8561b }} .c {{ stroke: #2c7a43 }}
.few {{ stroke: #12395f }} .many {{ stroke: #9dbbd8 }}
@media (prefers-color-scheme: dark) {{ svg {{ background: #0d1117 }} text {{ fill: #e4e9ee }} .quiet {{ fill: #a3b0bc }} .grid {{ stroke: #3a444e }}
.ours {{ fill: #5fa8ea }} .theirs {{ stroke: #f0a06a }} .span {{ stroke: #66727d }}
.a {{ stroke: #5fa8ea }} .b {{ stroke: #f0a06a }} .c {{ stroke: #63c07f }} .few {{ stroke: #9cd0ff }} .many {{ stroke: #2f5c88 }} }}
</style>"""
