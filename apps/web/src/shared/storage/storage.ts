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
  language: "longarm.language",
  walletHidden: "longarm.walletHidden",
  menuFolded: "longarm.menuFolded",
  favourites: "longarm.favourites",
  volume: "longarm.volume",
  clickSound: "longarm.clickSound",
  roomCamera: "longarm.roomCamera",
  leftHanded: "longarm.leftHanded",
  sideBar: "longarm.sideBar",
  openTransfers: "longarm.openTransfers",
  gamesBefore: "longarm.gamesBefore",
  discountUsed: "longarm.discountUsed",
  bonusUsed: "longarm.bonusUsed",
} as const;
export type StorageKey = (typeof STORAGE_KEYS)[keyof typeof STORAGE_KEYS];

/** Storage over the browser's, which may be absent, full or forbidden. */
export function createStorage(browser: () => globalThis.Storage): Storage {
  const memory = new Map<string, string>();
  const store = openStore(browser);
  return {
    read(key) {
      try {
        return store?.getItem(key) ?? memory.get(key) ?? null;
      } catch {
        return memory.get(key) ?? null;
      }
    },
    write(key, value) {
      memory.set(key, value);
      try {
        store?.setItem(key, value);
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
