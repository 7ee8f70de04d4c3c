import { createHash } from 'node:crypto';
import { SWEEP_RECORDS } from '../record-store.ts';

/** A Lua script, which the server runs as one atomic step. */
export interface RedisScript {
  readonly text: string;
  readonly digest: string;
}

/**
 * The keys of a record store, in the order in which every script gets them. The braces put them on one cluster slot.
 */
export function recordKeys(keyPrefix: string): readonly string[] {
  return ['value', 'state', 'key', 'expiry', 'chars'].map((part) => `${keyPrefix}{records}:${part}`);
}

/*
 * VALUES holds the value of each key, STATES its version, its characters and when it expires (`-` for never). KEY_ORDER
 * has the keys with one score, so in the order of their bytes; EXPIRIES those that expire, by time. CHARS counts the
 * characters of all. Redis itself expires none of these: a record and its entries must go together.
 */
const shared = `
local VALUES, STATES, KEY_ORDER, EXPIRIES, CHARS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local function now(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function read_state(state)
  if not state then return nil end
  local version, chars, expiry = string.match(state, '^(%S+) (%S+) (%S+)$')
  return { version = version, chars = tonumber(chars), expires_at = expiry ~= '-' and tonumber(expiry) or nil }
end

local function live(key, time)
  local state = read_state(redis.call('HGET', STATES, key))
  if state and (state.expires_at == nil or state.expires_at > time) then return state end
  return nil
end

local function remove(key)
  local state = read_state(redis.call('HGET', STATES, key))
  if not state then return end
  redis.call('HDEL', VALUES, key)
  redis.call('HDEL', STATES, key)
  redis.call('ZREM', KEY_ORDER, key)
  redis.call('ZREM', EXPIRIES, key)
  redis.call('DECRBY', CHARS, state.chars)
end

local function sweep(time)
  local expired = redis.call('ZRANGEBYSCORE', EXPIRIES, '-inf', string.format('%.0f', time), 'LIMIT', 0, ${SWEEP_RECORDS})
  for _, key in ipairs(expired) do remove(key) end
  return #expired
end
`;

function script(body: string): RedisScript {
  const text = shared + body;
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

/** ARGV: key, now. Answers the value and the version, or nil. */
export const getScript = script(`
local state = live(ARGV[1], now(ARGV[2]))
if not state then return false end
return { redis.call('HGET', VALUES, ARGV[1]), state.version }
`);

/**
 * ARGV: key, now, value, expected version or '', new version, characters, lifetime ('keep', '' for endless, or
 * milliseconds), most records, most characters. Answers 'written', 'conflict' or 'full'.
 */
export const putScript = script(`
local key, time = ARGV[1], now(ARGV[2])
local chars, lifetime = tonumber(ARGV[6]), ARGV[7]
local current = live(key, time)
if (current and current.version or '') ~= ARGV[4] then return 'conflict' end
sweep(time)
local more_records = current and 0 or 1
local more_chars = chars - (current and current.chars or 0)
local function fits()
  local records = redis.call('ZCARD', KEY_ORDER)
  local total = tonumber(redis.call('GET', CHARS) or '0')
  return (more_records == 0 or records + 1 <= tonumber(ARGV[8]))
    and (more_chars <= 0 or total + more_chars <= tonumber(ARGV[9]))
end
while not fits() do
  if sweep(time) == 0 then return 'full' end
end
local expiry = '-'
if lifetime == 'keep' then
  if current and current.expires_at then expiry = string.format('%.0f', current.expires_at) end
elseif lifetime ~= '' then
  expiry = string.format('%.0f', time + tonumber(lifetime))
end
remove(key)
redis.call('HSET', VALUES, key, ARGV[3])
redis.call('HSET', STATES, key, ARGV[5] .. ' ' .. ARGV[6] .. ' ' .. expiry)
redis.call('ZADD', KEY_ORDER, 0, key)
if expiry ~= '-' then redis.call('ZADD', EXPIRIES, expiry, key) end
redis.call('INCRBY', CHARS, chars)
return 'written'
`);

/** ARGV: key, now, expected version or ''. Answers 1 if it removed the record. */
export const deleteScript = script(`
local state = live(ARGV[1], now(ARGV[2]))
if not state or (ARGV[3] ~= '' and state.version ~= ARGV[3]) then return 0 end
remove(ARGV[1])
return 1
`);

/** Answers how many records there are, and how many characters they have. */
export const totalScript = script(
  `return { redis.call('ZCARD', KEY_ORDER), tonumber(redis.call('GET', CHARS) or '0') }`,
);

/** Most keys that one run of `keysScript` looks at. */
const KEYS_PER_SCRIPT = 1000;

/**
 * ARGV: the bounds of `ZRANGEBYLEX`, now, limit. Answers the live keys among the next ones, and the last key it looked
 * at where there may be more.
 */
export const keysScript = script(`
local time, limit = now(ARGV[3]), tonumber(ARGV[4])
local keys = redis.call('ZRANGEBYLEX', KEY_ORDER, ARGV[1], ARGV[2], 'LIMIT', 0, ${KEYS_PER_SCRIPT})
local found = {}
for _, key in ipairs(keys) do
  if live(key, time) then
    found[#found + 1] = key
    if #found == limit then return { found } end
  end
end
if #keys == ${KEYS_PER_SCRIPT} then return { found, keys[#keys] } end
return { found }
`);
