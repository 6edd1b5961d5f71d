import type { Kysely } from "kysely";
import * as z from "zod/mini";
import type { AnyDb, PlatformDeps } from "../../../deps.ts";
import type { AddPlayer, PlayerAdded } from "./add-player.ts";
import { addPlayer, Pin } from "./add-player.ts";
import { openKeys } from "./keys.ts";
import type { Passwords } from "./passwords.ts";
import { createPasswords, matchPin, sealText } from "./passwords.ts";
import type { Player, PlayerProfile, PlayersTables } from "./player.ts";
import {
  fillPin,
  findPlayer,
  findPlayerByName,
  findProfile,
  noteLogon,
  replacePassword,
  saveProfile,
  setBanned,
  storePassword,
  storePin,
} from "./player.ts";

export type { AddPlayer, PlayerAdded } from "./add-player.ts";
export type { ConfirmedAddress } from "./addresses.ts";
export { addressOf, confirmAddress, findPlayerByNameOrAddress } from "./addresses.ts";
export type { Key, Keys } from "./keys.ts";
export { openKeys } from "./keys.ts";
export type { Passwords } from "./passwords.ts";
export {
  createPasswords,
  isWeakPin,
  NEW_PASSWORD_MIN,
  newPasswordProblem,
  newPlayerPassword,
  openText,
  randomText,
  sealText,
} from "./passwords.ts";
export type { Player, PlayerProfile, PlayersTables } from "./player.ts";
export {
  bannedAt,
  findPlayer,
  findPlayerByName,
  findPlayersNamed,
  isBanned,
  isKeepable,
  isOnePerson,
  listPlayers,
  playersOfGroup,
  searchPlayers,
  setBanned,
  storePassword,
  USERNAME_LENGTH_MAX,
  usernameKey,
  usernameOf,
} from "./player.ts";

export interface Players {
  readonly passwords: Passwords;
  /** Adds a player, and a first deposit with it: both or neither. `first` runs before that in the same transaction. */
  add(asked: AddPlayer, first?: (transaction: Kysely<PlayersTables>) => Promise<void>): Promise<PlayerAdded>;
  find(id: string): Promise<Player | undefined>;
  /** By any spelling of the name. */
  findByName(username: string): Promise<Player | undefined>;
  /** False when the password was changed by somebody else since `player` was read. `also` runs in the same transaction. */
  changePassword(player: Player, password: string, also?: (trx: AnyDb) => Promise<void>): Promise<boolean>;
  /** Bans a player or lets it in again; answers whether that changed anything. Its sign-ins are ended by `Auth.ban`. */
  setBanned(id: string, banned: boolean): Promise<boolean>;
  /** Sets the last sign-in; `player` keeps the previous one. */
  noteLogon(id: string, address: string): Promise<void>;
  /** Gives a PIN (4 to 12 digits) to a player who has none; answers whether it did. @throws RangeError for anything else. */
  givePin(id: string, pin: string): Promise<boolean>;
  /** Sets another password, whatever it was; sign-ins go on unless they are ended. */
  setPassword(id: string, password: string): Promise<void>;
  /** Sets another PIN (4 to 12 digits), or none. @throws RangeError for anything else. */
  setPin(id: string, pin: string | null): Promise<void>;
  /** What the player keeps with the account. */
  profile(id: string): Promise<PlayerProfile>;
  /** Keeps what is given, each in place of what was there; answers all of it. */
  saveProfile(id: string, given: Partial<PlayerProfile>): Promise<PlayerProfile>;
  /** Whether a typed PIN is the player's; false for a player who has none. */
  checkPin(player: Player, typed: string): Promise<boolean>;
}

/** The people with a wallet. */
export async function createPlayers(
  deps: Pick<PlatformDeps, "ledger" | "random" | "passwordCost"> & { readonly db: Pick<PlatformDeps["db"], "kysely"> },
): Promise<Players> {
  const db = deps.db.kysely.withTables<PlayersTables>();
  const pinKeys = await openKeys(db, deps.random, "pin");
  const passwords = await createPasswords(deps.passwordCost);
  const sealed = async (id: string, pin: string): Promise<Buffer> =>
    await sealText(pinKeys, deps.random, id, await passwords.hash(pin));
  return {
    passwords,
    add: (asked, first) =>
      addPlayer({ db, ledger: deps.ledger, random: deps.random, pinKeys, passwords }, asked, first),
    find: (id) => findPlayer(db, id),
    findByName: (username) => findPlayerByName(db, username),
    async changePassword(player, password, also) {
      const hash = await passwords.hash(password);
      return await db.transaction().execute(async (trx) => {
        const done = await replacePassword(trx, player, hash);
        if (done) await also?.(trx);
        return done;
      });
    },
    setBanned: (id, banned) => setBanned(db, id, banned),
    noteLogon: (id, address) => noteLogon(db, id, address),
    async givePin(id, pin) {
      if (!z.safeParse(Pin, pin).success) throw new RangeError("a PIN has 4 to 12 digits");
      return await fillPin(db, id, await sealed(id, pin));
    },
    setPassword: async (id, password) => await storePassword(db, id, await passwords.hash(password)),
    async setPin(id, pin) {
      if (pin !== null && !z.safeParse(Pin, pin).success) throw new RangeError("a PIN has 4 to 12 digits");
      await storePin(db, id, pin === null ? null : await sealed(id, pin));
    },
    profile: (id) => findProfile(db, id),
    saveProfile: (id, given) => saveProfile(db, id, given),
    async checkPin(player, typed) {
      const { matches, isOld } = await matchPin(pinKeys, passwords, player, typed);
      // An earlier version sent the kept form to pages: from now on a value that was never sent is kept.
      if (matches && isOld) await storePin(db, player.id, await sealed(player.id, typed));
      return matches;
    },
  };
}
