/**
 * A smaller shortfall does not count, so that a client may retry exactly after the reported wait. The bucket goes negative
 * by it. It is a tenth of the smallest amount that is stored.
 */
export const ROUNDING = 0.0000001;

/**
 * The Lua of the limits, which runs inside Redis. All entries of one script carry the hash tag of their account, so each
 * script runs unchanged on a Redis Cluster. Time is Redis's own, so that all processes use one clock; this needs Redis 7
 * or Valkey, because older versions refuse writes after TIME. Only single-value commands are used, because some engines
 * return a missing value of the others as something other than false in Lua.
 *
 * A token bucket's entry is `<tokens>|<unix ms of that level>`, and expires when the bucket is full. Tokens
 * are rounded down when they are written, so that rounding never adds any.
 *
 * An entry of open requests is `<process>=<count>@<unix ms it is valid until>;` for each process that has any open: counts
 * are absolute, so that the next message makes up for a lost one, and those of a dead process expire.
 */
const COMMON = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local buckets, me, lease = ARGV[1] + 0, ARGV[2], ARGV[3] + 0

local function level(name, perMinute, size)
  local text = redis.call('GET', name)
  local bar = text and string.find(text, '|', 1, true)
  if not bar then return size end
  local since = now - string.sub(text, bar + 1)
  if since < 0 then since = 0 end
  return math.min(size, string.sub(text, 1, bar - 1) + since * perMinute / 60000)
end

local function fill(name, tokens, perMinute, size)
  local full = math.ceil((size - tokens) * 60000 / perMinute) + 1000
  local text = string.format('%.6f|%.0f', math.floor(tokens * 1000000) / 1000000, now)
  redis.call('SET', name, text, 'PX', string.format('%.0f', full))
end

local function others(name)
  local sum, kept = 0, ''
  for process, count, ends in string.gmatch(redis.call('GET', name) or '', '([^=;]+)=(%d+)@(%d+);') do
    if process ~= me and ends + 0 > now then
      sum = sum + count
      kept = kept .. process .. '=' .. count .. '@' .. ends .. ';'
    end
  end
  return sum, kept
end

local function publish(name, kept, count)
  if count + 0 > 0 then kept = string.format('%s%s=%s@%.0f;', kept, me, count, now + lease) end
  if kept == '' then redis.call('DEL', name) else redis.call('SET', name, kept, 'PX', ARGV[3]) end
end
`;

/**
 * Takes from several buckets and counts a request among the open ones: all or none.
 *
 * KEYS: the buckets, then the entries of open requests.
 * ARGV[1] how many of KEYS are buckets; ARGV[2] name of the process; ARGV[3] validity of its counts in ms;
 * ARGV[4] wait in ms where too many requests are open.
 * Then for each bucket: tokens refilled per minute (more than 0), size of the bucket, tokens to take (at most its
 * size). Then for each entry of open requests: the maximum for all processes, and this process's count with the new one.
 *
 * Returns a text of numbers separated by spaces: the position in KEYS of the limit with the longest wait, 0 when
 * everything was taken; that wait in ms; then the tokens in each bucket.
 */
export const TAKE_LIMITS = `${COMMON}
local reached, wait, at = 0, 0, 5
local function lacks(position, ms)
  if ms > wait then reached, wait = position, ms end
end
local tokens, kept = {}, {}
for i = 1, buckets do
  local perMinute, amount = ARGV[at] + 0, ARGV[at + 2] + 0
  tokens[i] = level(KEYS[i], perMinute, ARGV[at + 1] + 0)
  if tokens[i] + ${ROUNDING.toFixed(7)} < amount then lacks(i, math.max(1, math.ceil((amount - tokens[i]) * 60000 / perMinute))) end
  at = at + 3
end
for i = buckets + 1, #KEYS do
  local open
  open, kept[i] = others(KEYS[i])
  if open + ARGV[at + 1] > ARGV[at] + 0 then lacks(i, ARGV[4] + 0) end
  at = at + 2
end

local reply = string.format('%.0f %.0f', reached, wait)
at = 5
for i = 1, buckets do
  if reached == 0 then
    tokens[i] = tokens[i] - ARGV[at + 2]
    fill(KEYS[i], tokens[i], ARGV[at] + 0, ARGV[at + 1] + 0)
  end
  reply = string.format('%s %.6f', reply, tokens[i])
  at = at + 3
end
if reached > 0 then return reply end
for i = buckets + 1, #KEYS do
  publish(KEYS[i], kept[i], ARGV[at + 1])
  at = at + 2
end
return reply
`;

/**
 * Corrects buckets by the difference between the tokens taken and used, and publishes counts of open requests. A corrected
 * bucket is at most full, and at most one minute's refill below zero.
 *
 * KEYS and ARGV[1] to ARGV[3] as above.
 * Then for each bucket: tokens refilled per minute, size of the bucket, tokens to take (negative to return). Then
 * for each entry of open requests: this process's count.
 */
export const CORRECT_LIMITS = `${COMMON}
local at = 4
for i = 1, buckets do
  local perMinute, size = ARGV[at] + 0, ARGV[at + 1] + 0
  local tokens = level(KEYS[i], perMinute, size) - ARGV[at + 2]
  fill(KEYS[i], math.max(-perMinute, math.min(size, tokens)), perMinute, size)
  at = at + 3
end
for i = buckets + 1, #KEYS do
  local _, kept = others(KEYS[i])
  publish(KEYS[i], kept, ARGV[at])
  at = at + 1
end
return 1
`;
