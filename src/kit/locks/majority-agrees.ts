import type { StoreTime } from '../../store/index.js';

/** Whether more than half of the sites agree, decided as early as possible. A failure or timeout counts as no. */
export function majorityAgrees<Site>(
  time: StoreTime,
  patience: number,
  sites: readonly Site[],
  ask: (site: Site) => Promise<boolean>,
): Promise<boolean> {
  return new Promise((resolve) => {
    let yes = 0;
    let no = 0;
    const end = (isAgreed: boolean): void => {
      cancel();
      resolve(isAgreed);
    };
    const cancel = time.after(patience, () => end(false));
    const count = (isYes: boolean): void => {
      if (isYes) yes++;
      else no++;
      if (yes * 2 > sites.length) end(true);
      else if (no * 2 >= sites.length) end(false);
    };
    for (const site of sites) ask(site).then(count, () => count(false));
  });
}
