/** Longer names are cut in addresses: they are for reading, the id is what counts. */
const NAME_MAX = 80;

/** A name as one part of a path: any text, but never empty, `.` or `..`, which browsers take for a folder. */
const nameInPath = (name: string): string => {
  const part = name.slice(0, NAME_MAX).toWellFormed();
  return /^\.{0,2}$/.test(part) ? "-" : part;
};

/** Every address of the page: no component writes one by hand. Those with parameters are what a link or `navigate` takes. */
export const paths = {
  start: "/",
  lobby: "/lobby",
  brand: (id: string, name: string) => ({ to: "/lobby/$id/$name", params: { id, name: nameInPath(name) } }) as const,
  game: (gameId: string, name: string) =>
    ({ to: "/game/$gameId/$name", params: { gameId, name: nameInPath(name) } }) as const,
  watch: (gameId: string, name: string) =>
    ({ to: "/watch/$gameId/$name", params: { gameId, name: nameInPath(name) } }) as const,
  login: "/login",
  logout: "/logout",
  profile: "/profile",
  slotSessions: "/slot-sessions",
  transactions: "/transactions",
  wallet: "/wallet",
  queue: "/queue",
  closed: "/closed",
  saferPlay: "/safer-play",
  identity: "/identity",
  terms: "/terms",
  callback: "/callback",
  documentation: "/documentation",
  notFound: "/pages/errors/error-404",
} as const;
