/**
 * The Lua that runs inside Redis. All entries of one script carry the same hash tag, so each runs unchanged on a Redis
 * Cluster. Time is Redis's own, so that all processes judge by one clock; Redis 7 or Valkey is needed, because older
 * ones refuse writes after TIME. Only single-value commands are used: some engines give missing values of the others as
 * something that is not false in Lua.
 *
 * An entry of a key holds either `D`, a tombstone, or `<unix ms it dies at>|<record>`. The time is inside the value too,
 * because a dump restored later brings entries back with a new lease of life.
 */
const NOW = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
`;

/**
 * Reads a key: its record, `D` when it is dead, or an empty string when nothing is known.
 *
 * KEYS[1] the key's entry.
 */
export const READ_KEY = `${NOW}
local entry = redis.call('GET', KEYS[1])
if not entry then return '' end
if entry == 'D' then return 'D' end
local bar = string.find(entry, '|', 1, true)
local dies = bar and tonumber(string.sub(entry, 1, bar - 1))
if dies and dies > now then return string.sub(entry, bar + 1) end
return ''
`;

/**
 * Begins a fill, before the database is read: the generation of the account's entries, made when there is none, and the
 * time a record read now dies at.
 *
 * KEYS[1] the generation. ARGV[1] a random value for a new one; ARGV[2] its life in ms; ARGV[3] life of records in ms.
 */
export const BEGIN_FILL = `${NOW}
local generation = redis.call('GET', KEYS[1])
if not generation then generation = ARGV[1] end
redis.call('SET', KEYS[1], generation, 'PX', ARGV[2])
return {generation, string.format('%.0f', now + ARGV[3])}
`;

/**
 * Ends a fill: stores the record unless the generation has changed since, which a deletion or a flush in between does.
 *
 * KEYS[1] the generation, KEYS[2] the key's entry. ARGV[1] the generation at the beginning; ARGV[2] the time the record
 * dies at; ARGV[3] the record. Returns 1 when it was stored.
 */
export const END_FILL = `${NOW}
local left = ARGV[2] - now
if left <= 0 then return 0 end
local generation = redis.call('GET', KEYS[1])
if not generation or generation ~= ARGV[1] then return 0 end
if redis.call('GET', KEYS[2]) == 'D' then return 0 end
redis.call('SET', KEYS[2], ARGV[2] .. '|' .. ARGV[3], 'PX', string.format('%.0f', left))
return 1
`;

/**
 * Buries a key: a tombstone in the place of its record, and a new generation, so that no fill begun before succeeds.
 *
 * KEYS[1] the generation, KEYS[2] the key's entry. ARGV[1] a random new generation; ARGV[2] its life in ms; ARGV[3] life
 * of the tombstone in ms.
 */
export const BURY_KEY = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], 'D', 'PX', ARGV[3])
return 1
`;

/**
 * Forgets a key whose record has changed: removes the record, and begins a new generation, so that no fill begun before
 * succeeds. A tombstone stays.
 *
 * KEYS[1] the generation, KEYS[2] the key's entry. ARGV[1] a random new generation; ARGV[2] its life in ms. Returns 1
 * when there was a record.
 */
export const FORGET_KEY = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local entry = redis.call('GET', KEYS[2])
if not entry or entry == 'D' then return 0 end
return redis.call('DEL', KEYS[2])
`;
