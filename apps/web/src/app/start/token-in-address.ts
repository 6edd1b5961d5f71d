/** A page address taken apart: the token that came in it, and the address without. */
export type Arrival = { readonly token: string | null; readonly clean: string };

/** Finds `?token=`; everything else of the address stays as it was written. */
export function takeToken(href: string): Arrival {
  const { pathname, search, hash } = new URL(href);
  const parts = search.slice(1).split("&");
  const others = parts.filter((part) => !new URLSearchParams(part).has("token")).join("&");
  return {
    token: new URLSearchParams(search).get("token") || null,
    clean: `${pathname}${others === "" ? "" : `?${others}`}${hash}`,
  };
}
