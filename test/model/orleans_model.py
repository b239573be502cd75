"""Orleans' storage as it was first modelled, from the description alone.

Source: shared/oracles/store_model.py of the project's workspace.  The code is
the same, laid out anew; what printed the worked examples is left out (they are
in model_test.py).  It is here to hold store_model.py against, which
compare_models.py does: do not change it.
"""

MAXITEM = 400 * 1024
MAXTX = 4 * 1024 * 1024
MARGIN = 64 * 1024
MAXDATA = MAXTX - MAXITEM - MARGIN
MAXOPS = 99

class Conflict(Exception):
    pass

class Validation(Exception):
    pass

class DB:

    def __init__(s):
        s.t = {}
        s.log = []
        s.fail_at = None
        s.n = 0

    def tx(s, ops):
        s.n += 1
        if s.fail_at == s.n:
            raise RuntimeError('injected transport failure before apply')
        keys = [o[1] for o in ops]
        if len(ops) > 100:
            raise Validation('too many')
        if len(set(keys)) != len(keys):
            raise Validation('Transaction request cannot include multiple operations on one item')
        reasons = []
        for k, key, item, cond in ops:
            cur = s.t.get(key)
            if cond == 'absent':
                reasons.append(None if cur is None else 'ConditionalCheckFailed')
            else:
                reasons.append(None if cur is not None and cur.get('ETag') == cond else 'ConditionalCheckFailed')
        if any(reasons):
            raise Conflict(reasons)
        for k, key, item, cond in ops:
            if k == 'D':
                s.t.pop(key, None)
            else:
                s.t[key] = dict(item)
        s.log.append([(k, key[1]) for k, key, _, _ in ops])

def size(item):
    return sum((len(k.encode()) + len(v if isinstance(v, bytes) else str(v).encode()) for k, v in item.items()))
TMJ = b'{"$id":"1","$type":"Orleans.Transactions.ParticipantId, Orleans.Transactions","Name":"tm","SupportedRoles":3}'
META0 = b'M' * 316

class St:

    def __init__(s, db, pk):
        s.db = db
        s.pk = pk
        s.reload = False
        s.key = None

    def load(s):
        k = s.db.t.get((s.pk, 'key'))
        s.key = dict(k) if k else {'PartitionKey': s.pk, 'RowKey': 'key', 'CommittedSequenceId': 0}
        s.states = sorted(((int(rk[6:], 16), dict(it), size(it)) for (p, rk), it in s.db.t.items() if p == s.pk and 'state_' <= rk <= 'state_~'))
        s.states = [list(x) for x in s.states]
        s.reload = False
        if 'ETag' not in s.key:
            return dict(etag=None, committed=0, pending=[], state=None)
        c = s.key['CommittedSequenceId']
        st = None
        if c:
            m = [x for x in s.states if x[0] == c]
            if not m:
                raise RuntimeError('Storage state corrupted: no record for committed state v%d' % c)
            st = m[0][1].get('GrainState')
        return dict(etag=str(s.key['ETag']), committed=c, pending=[x[0] for x in s.states if x[0] > c], state=st)

    def find(s, q):
        for i, x in enumerate(s.states):
            if x[0] == q:
                return (True, i)
            if x[0] > q:
                return (False, i)
        return (False, len(s.states))

    def flush(s):
        cur = s.key.get('ETag')
        nxt = (cur if cur is not None else -1) + 1
        it = {k: v for k, v in s.key.items()}
        it['ETag'] = nxt
        if not it.get('Metadata'):
            it.pop('Metadata', None)
        assert size(it) <= MAXITEM
        s.db.tx([o for o in s.ops] + [('P', (s.pk, 'key'), it, 'absent' if cur is None else cur)])
        s.key['ETag'] = nxt
        s.changed = False
        s.ops = []
        s.osz = 0

    def add(s, op, sz):
        if op[0] == 'P' and sz > MAXITEM:
            raise ValueError('item too large %d' % sz)
        if s.ops and s.osz + sz > MAXDATA:
            s.flush()
        s.ops.append(op)
        s.osz += sz
        if len(s.ops) == MAXOPS:
            s.flush()

    def store(s, etag, meta=META0, prep=None, commit=None, abort=None):
        if s.reload:
            raise RuntimeError('Load must be called after a failed Store')
        s.ops = []
        s.osz = 0
        s.changed = False
        ke = s.key.get('ETag')
        ks = None if ke is None else str(ke)
        blank = lambda x: x is None or x.strip() == ''
        if (not blank(ks) or not blank(etag)) and ks != etag:
            raise ValueError('Etag does not match')
        com = s.key['CommittedSequenceId']
        newc = commit if commit is not None and commit > com else com
        s.reload = True
        if abort is not None:
            while s.states and s.states[-1][0] > abort:
                q, it, sz = s.states[-1]
                s.add(('D', (s.pk, 'state_%016x' % q), None, it['ETag']), sz)
                s.states.pop()
        ob = commit if commit is not None else com
        for q, data in prep or []:
            if q < ob:
                continue
            it = {'PartitionKey': s.pk, 'RowKey': 'state_%016x' % q, 'GrainState': data, 'TransactionId': 'x' * 36, 'TransactionTimestamp': '2024-01-02T03:04:05.1234567Z', 'TransactionManager': TMJ}
            f, p = s.find(q)
            if f:
                old = s.states[p][1]['ETag']
                it['ETag'] = old + 1
                s.states[p][1] = it
                s.states[p][2] = size(it)
                s.add(('P', (s.pk, it['RowKey']), it, old), size(it))
            else:
                it['ETag'] = 0
                s.add(('P', (s.pk, it['RowKey']), it, 'absent'), size(it))
                s.states.insert(p, [q, it, size(it)])
        s.key['Metadata'] = meta
        s.key['Timestamp'] = 1704164645
        s.key['CommittedSequenceId'] = newc
        s.changed = True
        if s.states and s.states[0][0] < ob:
            _, p = s.find(ob)
            for i in range(p):
                q, it, sz = s.states[i]
                s.add(('D', (s.pk, 'state_%016x' % q), None, it['ETag']), sz)
            s.states = s.states[p:]
        if s.ops or s.changed:
            s.flush()
        s.reload = False
        return str(s.key['ETag'])
