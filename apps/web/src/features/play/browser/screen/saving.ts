type Battery = Pick<EventTarget, "addEventListener" | "removeEventListener"> & {
  readonly charging: boolean;
  readonly level: number;
};
/** What of the browser tells that power or data is saved; each part is absent in some. */
export type Saver = {
  readonly connection?: { readonly saveData?: boolean };
  getBattery?(): Promise<Battery>;
};

/** Browsers and phones begin to save power here by themselves, and none tells that it does. */
const LOW_BATTERY = 0.2;

/** Whether the player's device saves power or data now; told at once and whenever it changes, until stopped. */
export function watchSaving(saver: Saver, tell: (saving: boolean) => void): () => void {
  let battery: Battery | undefined;
  let stopped = false;
  const look = (): void => {
    const low = battery !== undefined && !battery.charging && battery.level <= LOW_BATTERY;
    if (!stopped) tell(saver.connection?.saveData === true || low);
  };
  look();
  saver.getBattery?.().then(
    (known) => {
      if (stopped) return;
      battery = known;
      for (const kind of ["chargingchange", "levelchange"]) known.addEventListener(kind, look);
      look();
    },
    // Forbidden: nobody knows, so nothing is saved.
    () => {},
  );
  return () => {
    stopped = true;
    for (const kind of ["chargingchange", "levelchange"]) battery?.removeEventListener(kind, look);
  };
}
