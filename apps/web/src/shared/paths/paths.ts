/** Every address of the page: no component writes one by hand. Those with parameters are what a link or `navigate` takes. */
export const paths = {
  start: "/",
  lobby: "/lobby",
  brand: (id: string, name: string) => ({ to: "/lobby/$id/$name", params: { id, name: name || "-" } }) as const,
  game: (gameId: string, name: string) =>
    ({ to: "/game/$gameId/$name", params: { gameId, name: name || "-" } }) as const,
  login: "/login",
  logout: "/logout",
  profile: "/profile",
  slotSessions: "/slot-sessions",
  transactions: "/transactions",
  callback: "/callback",
  notFound: "/pages/errors/error-404",
} as const;
