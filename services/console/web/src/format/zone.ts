import { stored, useStored } from './stored.ts';
import type { Zone } from './time.ts';

const preference = stored<Zone>('tollgate.zone', ['utc', 'local'], 'utc');

/** Whether times are shown in UTC or in the zone of this computer. */
export function useZone(): [Zone, (zone: Zone) => void] {
  return useStored(preference);
}
