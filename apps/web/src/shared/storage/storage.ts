/** Texts kept between visits. Never throws: a browser that refuses storage keeps them until the page is left. */
export type Storage = {
  read(key: StorageKey): string | null;
  write(key: StorageKey, value: string): void;
  remove(key: StorageKey): void;
};

/** Every key that the web keeps. The first two are the specification's, the others are ours (decision D-20). */
export const STORAGE_KEYS = {
  token: "jwt_access_token",
  pinCode: "pin_code",
  rememberMe: "longarm.rememberMe",
  username: "longarm.username",
  passkey: "longarm.passkey",
  language: "longarm.language",
  walletHidden: "longarm.walletHidden",
  menuFolded: "longarm.menuFolded",
  favourites: "longarm.favourites",
  recentMachines: "longarm.recentMachines",
  volume: "longarm.volume",
  muted: "longarm.muted",
  clickSound: "longarm.clickSound",
  roomCamera: "longarm.roomCamera",
  hand: "longarm.hand",
  smooth: "longarm.smooth",
  sideBar: "longarm.sideBar",
  openTransfers: "longarm.openTransfers",
  gamesBefore: "longarm.gamesBefore",
  shortcuts: "longarm.shortcuts",
  infoSeen: "longarm.infoSeen",
  termsPutOff: "longarm.termsPutOff",
  summaryShown: "longarm.summaryShown",
  limitsPutOff: "longarm.limitsPutOff",
  queueEndsSeen: "longarm.queueEndsSeen",
  sessionColumns: "longarm.sessionColumns",
  transactionColumns: "longarm.transactionColumns",
  discountUsed: "longarm.discountUsed",
  bonusUsed: "longarm.bonusUsed",
  lock: "longarm.lock",
  pinKept: "longarm.pinKept",
  lastInput: "longarm.lastInput",
} as const;
export type StorageKey = (typeof STORAGE_KEYS)[keyof typeof STORAGE_KEYS];

/** Storage over the browser's, which may be absent, full or forbidden. */
export function createStorage(browser: () => globalThis.Storage): Storage {
  const memory = new Map<string, string>();
  const store = openStore(browser);
  return {
    read(key) {
      try {
        return memory.get(key) ?? store?.getItem(key) ?? null;
      } catch {
        return null;
      }
    },
    write(key, value) {
      // Memory holds only what the browser refused: what another tab removes must be gone here too.
      memory.set(key, value);
      if (store === undefined) return;
      try {
        store.setItem(key, value);
        memory.delete(key);
      } catch {
        // Full or forbidden: what is kept lasts as long as the page.
      }
    },
    remove(key) {
      memory.delete(key);
      try {
        store?.removeItem(key);
      } catch {
        // As above.
      }
    },
  };
}

function openStore(browser: () => globalThis.Storage): globalThis.Storage | undefined {
  try {
    return browser();
  } catch {
    return undefined;
  }
}
