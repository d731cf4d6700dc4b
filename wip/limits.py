"""Puts bounds into api/openapi.yaml: after the type of a member, in its own style."""
import re

P = '/work/wt/clients/api/openapi.yaml'
BIG = 'maximum: 9007199254740991'
I64 = ['format: int64', BIG]
I64Z = ['format: int64', 'minimum: 0', BIG]
I32 = ['format: int32', 'maximum: 2147483647']
TEXT = ['maxLength: 49152']  # of an event: MaxEventData
LIST = ['maxItems: 24576']

schemas = {
    'ProjectId': ['maxLength: 24'], 'JobId': ['maxLength: 30'], 'SessionId': ['maxLength: 30'], 'DeliveryId': ['maxLength: 30'],
    'Time': ['maxLength: 35'], 'Seq': I64,
    'EngineStarting.retryAfterSeconds': I32,
    'Project.name': ['maxLength: 120'], 'Project.description': ['maxLength: 2000'], 'ProjectCreatedRef.name': ['maxLength: 120'],
    'ProjectList.data': ['maxItems: 100'],
    'Model.context': I64, 'ModelPrice.input': I64, 'ModelPrice.cached': I64, 'ModelPrice.cacheWrite': I64, 'ModelPrice.output': I64,
    'Webhook.url': ['maxLength: 2048'], 'Webhook.events': ['maxItems: 3'], 'Webhook.secret': ['maxLength: 50'],
    'Delivery.attempts': I64, 'Delivery.status': ['format: int32', 'minimum: 100', 'maximum: 599'],
    'DeliveryList.data': ['maxItems: 100'],
    'PlaySettings.formerKeysUntil': ['maxLength: 35'],
    'Experiment.id': ['maxLength: 40'], 'Experiment.values': ['maxItems: 5'], 'Experiment.winner': ['maxLength: 40'],
    'Experiment.startedAt': ['maxLength: 35'], 'Experiment.stoppedAt': ['maxLength: 35'], 'ExperimentValue.value': ['maxLength: 40'],
    'ExperimentChange.id': ['maxLength: 40'], 'RewardRule.id': ['maxLength: 40'], 'Skill.key': ['maxLength: 100'],
    'RotateRequest.keepDays': ['format: int32'],
    'Publication.path': ["pattern: '^/play/[0-9a-f]{24}$'", 'maxLength: 30'],
    'Overview.from': ['maxLength: 10'], 'Overview.to': ['maxLength: 10'], 'Overview.days': ['maxItems: 90'], 'Overview.builds': ['maxItems: 100'],
    'PlayCounts.day': ['maxLength: 10'],
    'View.from': ['maxLength: 10'], 'View.to': ['maxLength: 10'],
    'View.view': ['enum: [live, engagement, retention, funnels, events, experiments, board, costs, rows]'],
    'View.nextCursor': ["pattern: '^.{32}\\.[0-9]+$'", 'maxLength: 52'],
    'Job.lastEventId': I64, 'Queue.position': I32, 'Queue.ahead': I32, 'JobList.data': ['maxItems: 100'],
    'StreamToken.token': ['maxLength: 53'], 'Progress.percent': ['format: int32'],
    'Files.count': I32, 'Files.bytes': I64, 'Files.sha256': ['maxLength: 64'],
    'JobProgress.percent': ['format: int32'], 'FileChanged.bytes': I64,
    'BuildResult.durationMs': I64, 'BuildResult.bytes': I64, 'BuildProblem.line': ['format: int32', 'minimum: 0', 'maximum: 2147483647'],
    'PlaytestResult.checks': I32, 'PlaytestResult.shots': I32, 'PlaytestResult.readyMs': I64, 'PlaytestResult.durationMs': I64,
    'Unit.quantity': I64,
}
for m in 'sessions plays runs players newPlayers activeSeconds medianSessionSeconds events lost'.split():
    schemas['PlayCounts.' + m] = I64Z
for m in 'sessions plays runs activeSeconds'.split():
    schemas['Build.' + m] = I64Z
for m in '''JobProgress.message AssistantDelta.text AssistantMessage.text ToolCall.name ToolResult.name ToolResult.summary FileChanged.path
AssetCreated.name AssetCreated.kind AssetCreated.source AssetCreated.noun AssetCreated.path PlaytestResult.tier FixApplied.strategy
FixApplied.change FixApplied.because Unit.name Warning.code Warning.message JobCompleted.summary BuildProblem.file BuildProblem.text
Finding.rule Finding.file Finding.message Trial.outcome'''.split():
    schemas[m] = TEXT
for m in '''BuildResult.problems AuditResult.findings Usage.units'''.split():
    schemas[m] = LIST
for m in '''PlaytestResult.problems PlaytestResult.rules PlaytestResult.pictures JobCompleted.unmet JobFailed.unmet JobCancelled.unmet'''.split():
    schemas[m] = LIST
    schemas[m + '[]'] = TEXT
for m in ('Overview.events', 'Overview.dropped'):
    schemas[m + '[]'] = I64Z

headers = {
    'NextCursor': ["pattern: '^.{32}\\.[0-9]+$'", 'maxLength: 52'], 'RequestId': ['maxLength: 36'],
    'RetryAfter': I32, 'MayRetryAfter': I32, 'PollAfter': I32,
    'Allow': ["pattern: '^[A-Z]+(, [A-Z]+)*$'", 'maxLength: 60'], 'WeakETag': ['maxLength: 20'], 'StrongETag': ['maxLength: 66'],
    'EngineState': ['maxLength: 40'],
    'LastModified': ["pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$'", 'maxLength: 29'],
    'ContentRange': ["pattern: '^bytes (\\*|[0-9]+-[0-9]+)/[0-9]+$'", 'maxLength: 64'],
}

lines = open(P).read().split('\n')
section = schema = member = None
left = {}
used = set()


def extend(line, extras, nth=0):
    """Puts extras after the nth type of a line."""
    found = list(re.finditer(r"type: (?:string|integer|array)", line))
    if len(found) <= nth:
        return None
    at = found[nth].end()
    if line[:at].strip() == found[nth].group():  # in block style
        indent = line[:len(line) - len(line.lstrip())]
        return '\n'.join([line] + [indent + e for e in extras])
    have = line[at:line.index('}', at) if '{' not in line[at:line.index('}', at)] else at]
    extras = [e for e in extras if e.split(':')[0] + ':' not in have]
    return line[:at] + ''.join(', ' + e for e in extras) + line[at:]


def apply(i, name, extras, nth=0):
    if name in used:
        return
    new = extend(lines[i], extras, nth)
    if new is not None:
        lines[i] = new
        used.add(name)


for i, line in enumerate(lines):
    if re.match(r'^  (\w+):$', line):
        section, schema, member = line.strip()[:-1], None, None
    elif m := re.match(r'^    (\w+):', line):
        schema, member = m.group(1), None
    elif section == 'schemas' and (m := re.match(r'^        (\w+):', line)):
        member = m.group(1)
    if section == 'schemas' and schema:
        name = schema + ('.' + member if member else '')
        inner = name + '[]'
        if inner in schemas and inner not in used:  # in flow style, one line
            nth = len(re.findall(r'type: (?:string|integer|array)', line)) - 1
            if nth >= 0:
                apply(i, inner, schemas[inner], nth)
        if name in schemas:
            apply(i, name, schemas[name])
    elif section == 'headers' and schema in headers:
        apply(i, 'header ' + schema, headers[schema])

for name in list(schemas) + ['header ' + h for h in headers]:
    if name not in used:
        print('unused', name)
s = '\n'.join(lines)


def sub(a, b, n):
    global s
    if s.count(a) != n:
        print('not', n, 'but', s.count(a), a)
    s = s.replace(a, b)


sub("schema: { type: integer, minimum: 1, maximum: 100, default: 20 }", "schema: { type: integer, format: int32, minimum: 1, maximum: 100, default: 20 }", 3)
sub("schema: { type: integer, minimum: 1, maximum: 90, default: 7 }", "schema: { type: integer, format: int32, minimum: 1, maximum: 90, default: 7 }", 2)
sub("schema: { type: string, pattern: '^stk-[0-9A-Za-z]{49}$' }", "schema: { type: string, pattern: '^stk-[0-9A-Za-z]{49}$', maxLength: 53 }", 1)
sub("schema: { type: string, pattern: '^.{32}\\.[0-9]+$' }", "schema: { type: string, pattern: '^.{32}\\.[0-9]+$', maxLength: 52 }", 1)
sub("schema: { type: string, format: date }", "schema: { type: string, format: date, maxLength: 10 }", 1)
sub("schema: { type: string, pattern: '^[0-9]+$' }", "schema: { type: string, pattern: '^[0-9]+$', maxLength: 20 }", 1)
sub("""                    `whsec_` of the secret. While a former secret is valid, a second one after a space.
                  schema: { type: string }""", """                    `whsec_` of the secret. While a former secret is valid, a second one after a space.
                  schema: { type: string, pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$', maxLength: 95 }""", 1)
open(P, 'w').write(s)
