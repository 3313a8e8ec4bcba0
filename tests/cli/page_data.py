"""page_data.py PAGE - prints the data of a page of nnefc view; fails unless the page allows its own script and style alone

What it allows is what a policy names by SHA-256, so that a page that asks for anything else gets nothing."""
import base64
import hashlib
import json
import re
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    page = file.read()
sums = {'script': [], 'style': []}
for kind, text in re.findall(r'<(script|style)>(.*?)</\1>', page, re.S):
    sums[kind].append(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")
policy = (f"default-src 'none'; script-src {' '.join(sums['script'])}; style-src {' '.join(sums['style'])}; "
          "base-uri 'none'; form-action 'none'")
found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
if found != policy or len(sums['style']) != 1:
    sys.exit(f'the policy is "{found}", expected "{policy}"')
rest = re.sub(r'<(script|style)>.*?</\1>', '', page, flags=re.S)
data = re.search(r'<script type="application/json" id="data">([^<]*)</script>', rest)[1]
elements = {name for name in re.findall(r'<[/!]?(\w*)', rest)}
if elements != {'DOCTYPE', 'html', 'head', 'meta', 'title', 'body', 'script'}:
    sys.exit(f'the page has the elements {elements}')
print(json.dumps(json.loads(data)))
