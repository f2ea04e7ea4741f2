import { LuaScript } from './lua-script.js';

/**
 * What all scripts on a log begin with. KEYS are those of `LogKeys.of()`; ARGV begins with the channel, the two times to live, the sender and the
 * number of its request. A script may be sent again when its answer was lost, so each one recognises a request that it has carried out.
 *
 * Fields of the head: origin, first, sequence, token, run, taken; holder and expires while the log is held; closedAt when it is closed;
 * lastCommand, commandAt, lastEvent; attempt and takenBy for `take`; found for `acquire`; made is the request that created the log; due names the
 * entry of the index that stands for it; and by:SENDER is the latest request of a sender that added records.
 */
const PRELUDE = `
local HEAD, LOG, WAITING, ONCE, GONE = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local CHANNEL, ACTIVE_TTL, FINISHED_TTL = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local SENDER, NUMBER, REQUEST = ARGV[4], tonumber(ARGV[5]), ARGV[4] .. '.' .. ARGV[5]
local clock = redis.call('TIME')
local NOW = clock[1] * 1000 + math.floor(clock[2] / 1000)

-- What a script is given besides; unpack() would bound the number of events.
local A = {}
for i = 6, #ARGV do A[i - 5] = ARGV[i] end

local head = {}
local fields = redis.call('HGETALL', HEAD)
for i = 1, #fields, 2 do head[fields[i]] = fields[i + 1] end

local function set(...)
  local given = {...}
  for i = 1, #given, 2 do head[given[i]] = given[i + 1] end
  redis.call('HSET', HEAD, ...)
end

local function unset(...)
  for _, field in ipairs({...}) do head[field] = nil end
  redis.call('HDEL', HEAD, ...)
end

local function number(field) return tonumber(head[field]) or 0 end

local function id(sequence) return string.format('%.0f-0', sequence) end

local function held() return head.holder and number('expires') > NOW end

-- A lease that expired is its holder's until another takes it.
local function holds(holder, token)
  return head.holder == holder and number('token') == tonumber(token)
end

-- Whether a log that nobody holds should be worked on.
local function waits()
  if head.closedAt or head.run == 'detached' then return false end
  return head.run == 'queued' or number('lastCommand') > number('taken')
end

local function tell() redis.call('PUBLISH', CHANNEL, string.format('%.0f', number('sequence'))) end

local function keep()
  local ttl = head.closedAt and FINISHED_TTL or ACTIVE_TTL
  for i = 1, 4 do
    if ttl > 0 then redis.call('PEXPIRE', KEYS[i], ttl) else redis.call('PERSIST', KEYS[i]) end
  end
end

local function forget()
  redis.call('DEL', HEAD, LOG, WAITING, ONCE)
  redis.call('PUBLISH', CHANNEL, '')
end

local function begin(origin, sequence, token)
  redis.call('DEL', LOG, WAITING, ONCE)
  set('made', REQUEST, 'due', REQUEST, 'origin', origin, 'first', sequence + 1, 'sequence', sequence, 'token', token,
    'run', 'queued', 'taken', sequence)
end

local function lend(holder, ttl, keep_state)
  set('found', head.run, 'token', number('token') + 1, 'holder', holder, 'expires', NOW + tonumber(ttl), 'due', REQUEST)
  if keep_state ~= '1' then set('run', 'running') end
end

local function take_all()
  set('taken', number('sequence'))
  redis.call('DEL', WAITING)
end

local function add_command(kind, command, once)
  local sequence = number('sequence') + 1
  redis.call('XADD', LOG, id(sequence), 'r', REQUEST, 'c', command)
  set('sequence', sequence, 'lastCommand', sequence, 'commandAt', NOW, 'by:' .. SENDER, NUMBER)
  if kind == 'message' then redis.call('RPUSH', WAITING, sequence) end
  if once ~= '' then redis.call('HSET', ONCE, once, sequence) end
  if head.run == 'detached' then take_all() end
end

-- Number of the record that this very request has added before.
local function repeated()
  if number('by:' .. SENDER) < NUMBER then return nil end
  local from = '+'
  while true do
    local page = redis.call('XREVRANGE', LOG, from, '-', 'COUNT', 16)
    local sequence = 0
    for _, entry in ipairs(page) do
      sequence = tonumber(string.match(entry[1], '^%d+'))
      if entry[2][1] == 'r' and entry[2][2] == REQUEST then return sequence end
    end
    if sequence <= 1 then return nil end
    from = id(sequence - 1)
  end
end

local function shown(sequence)
  return {head.origin, sequence or number('sequence'), number('first'), number('token'), held() and head.holder or '', head.run,
    number('taken'), head.closedAt and 1 or 0}
end
`;

const onLog = (body: string): LuaScript => new LuaScript(PRELUDE + body);

/** origin, command, id of a message that comes once, holder, ttl, keepState → 1, or 0 when the id is taken. */
export const CREATE = onLog(`
local origin, command, once, holder, ttl, keep_state = unpack(A)
if head.sequence then return head.made == REQUEST and 1 or 0 end
begin(origin, 0, 0)
add_command('message', command, once)
if holder ~= '' then lend(holder, ttl, keep_state) end
keep()
tell()
return 1`);

/** origin, sequence and token of the floor, holder, ttl, keepState → 1, or 0 when there is a log. */
export const RESTORE = onLog(`
local origin, sequence, token, holder, ttl, keep_state = unpack(A)
if head.sequence then return head.made == REQUEST and 1 or 0 end
begin(origin, tonumber(sequence), tonumber(token))
lend(holder, ttl, keep_state)
keep()
tell()
return 1`);

/** kind, command, id of a message that comes once, maxPending → how it went, whether the request's entry of the index is needed, head. */
export const APPEND_COMMAND = onLog(`
local kind, command, once, max_pending = unpack(A)
local again = repeated() or (once ~= '' and tonumber(redis.call('HGET', ONCE, once) or nil))
if again and head.sequence then return {'OK', head.due == REQUEST and 1 or 0, shown(again)} end
if not head.sequence then return {'NOT_FOUND'} end
if head.closedAt then return {'CLOSED'} end
if kind == 'message' and redis.call('LLEN', WAITING) >= tonumber(max_pending) then return {'FULL'} end
add_command(kind, command, once)
if not head.due and waits() then set('due', REQUEST) end
keep()
tell()
return {'OK', head.due == REQUEST and 1 or 0, shown()}`);

/** holder, token, close, after, events → how it went, number of the last event. */
export const APPEND = onLog(`
local holder, token, close, after = unpack(A, 1, 4)
local again = repeated()
if again then return {'OK', again} end
if not holds(holder, token) then return {'LOST'} end
if number('lastEvent') > tonumber(after) then return {'OK', number('lastEvent')} end
if head.closedAt then return {'CLOSED'} end
local sequence, taken = number('sequence'), number('taken')
for i = 5, #A do
  sequence = sequence + 1
  if i == #A then redis.call('XADD', LOG, id(sequence), 'r', REQUEST, 'e', A[i], 't', taken)
  else redis.call('XADD', LOG, id(sequence), 'e', A[i], 't', taken) end
end
set('sequence', sequence, 'lastEvent', sequence, 'by:' .. SENDER, NUMBER)
if close == '1' then set('closedAt', NOW) end
keep()
tell()
return {'OK', sequence}`);

/** Head, or nothing. */
export const SHOW = onLog(`return head.sequence and shown() or {}`);

/** holder, ttl, takeOver, keepState → token, the run state that was found, the entry of the index that is needed no more; or nothing. */
export const ACQUIRE = onLog(`
local holder, ttl, take_over, keep_state = unpack(A)
if not head.sequence then return {} end
if head.holder and head.due == REQUEST then return {number('token'), head.found, ''} end
if head.closedAt then
  if held() or not head.holder then return {} end
elseif held() and take_over ~= '1' then return {} end
local stale = head.due or ''
lend(holder, ttl, keep_state)
keep()
return {number('token'), head.found, stale}`);

/** holder, token, ttl → 1, or 0 when the lease was lost; the entry of the index that is now due earlier than it says. */
export const RENEW = onLog(`
local holder, token, ttl = unpack(A)
if not holds(holder, token) then return {0, ''} end
local before = number('expires')
set('expires', NOW + tonumber(ttl))
keep()
return {1, number('expires') < before and head.due or ''}`);

/** holder, token, sequence → the attempt, or 0 when the lease was lost. */
export const TAKE = onLog(`
local holder, token, sequence = A[1], A[2], tonumber(A[3])
if not holds(holder, token) then return 0 end
local attempt = number('attempt')
if number('taken') ~= sequence or attempt == 0 then attempt = 1
elseif number('takenBy') ~= number('token') then attempt = attempt + 1 end
set('taken', sequence, 'attempt', attempt, 'takenBy', number('token'))
while (tonumber(redis.call('LINDEX', WAITING, 0) or nil) or math.huge) <= sequence do redis.call('LPOP', WAITING) end
keep()
return attempt`);

/** holder, token, run state, seen → 1 or 0, the entry of the index that is needed no more, the one that is due now. */
export const RELEASE = onLog(`
local holder, token, run, seen = unpack(A)
if not holds(holder, token) then return {1, '', ''} end
if (run == 'parked' or run == 'queued') and number('lastCommand') > tonumber(seen) then return {0, '', ''} end
unset('holder', 'expires')
set('run', head.closedAt and 'ended' or run)
if head.run == 'detached' then take_all() end
local entry = head.due or ''
local waiting = waits()
if not waiting then unset('due') end
keep()
tell()
if waiting then return {1, '', entry} end
return {1, entry, ''}`);

/** → 1 or 0, the entry of the index that is needed no more. */
export const WITHDRAW = onLog(`
if not head.sequence then return {redis.call('GET', GONE) == REQUEST and 1 or 0, ''} end
if number('token') ~= 0 then return {0, ''} end
redis.call('SET', GONE, REQUEST, 'PX', 60000)
forget()
return {1, head.due or ''}`);

/** → the entry of the index that is needed no more. */
export const REMOVE = onLog(`
forget()
return head.due or ''`);

/** A time → 1 when there is no log any more, 0 when it is open or closed later. */
export const FORGET_CLOSED = onLog(`
if not head.sequence then return 1 end
if not head.closedAt or number('closedAt') >= tonumber(A[1]) then return 0 end
forget()
return 1`);

/** Begins the time anew that Redis keeps the log by itself → 1 when there is no log any more, else 0. */
export const KEEP = onLog(`
if not head.sequence then return 1 end
keep()
return 0`);

/** → the entry of the index that stands for the log, when its lease expires (0: nobody holds it), when the last command came (0: none waits), now. */
export const INSPECT = onLog(`
return {head.due or '', head.holder and number('expires') or 0, waits() and number('commandAt') or 0, NOW}`);

/** KEYS: the records. after, limit, bytes → at least one record, then as many as the bytes allow: a page of large ones is small. */
export const READ = new LuaScript(`
local after, limit, bytes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local records, size = {}, 2
while #records < limit and bytes > 0 do
  local count = math.min(size, limit - #records)
  local page = redis.call('XRANGE', KEYS[1], string.format('%.0f-0', after + 1), '+', 'COUNT', count)
  for _, entry in ipairs(page) do
    records[#records + 1] = entry
    for _, value in ipairs(entry[2]) do bytes = bytes - #value end
  end
  if #page < count then break end
  after = tonumber(string.match(page[#page][1], '^%d+'))
  size = 8
end
return records`);

/** KEYS: the claim. claim, window in ms → the claim that stands. */
export const CLAIM = new LuaScript(`
local standing = redis.call('GET', KEYS[1])
if standing then return standing end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`);
