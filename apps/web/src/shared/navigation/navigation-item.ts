import type { Role } from "../auth/player.ts";
import type { TextKey } from "../i18n/text-key.ts";
import type { IconName } from "../ui/icon-paths.ts";

/** Who may see something of the navigation: undefined everybody, an empty list guests only, else anybody with one of the roles. */
export type NavigationAuth = readonly Role[] | undefined;

/** A pill beside a title; `bg` and `fg` are names of tokens, so that every palette has its own (entity 3.2 of the specification). */
export type NavigationBadge = { readonly title: string; readonly bg?: string; readonly fg?: string };

/** One entry of the navigation (row R-3-22): a heading with children, a part that opens and closes, a page, a link to outside, a line. */
export type NavigationItem = {
  readonly id: string;
  readonly type: "group" | "collapse" | "item" | "link" | "divider";
  /** As the specification or the showcase words it; what the search finds beside the shown label. */
  readonly title: string;
  /** Shown instead of `title`. */
  readonly label?: TextKey;
  readonly icon?: IconName;
  readonly url?: string;
  /** Active only on the very path. */
  readonly exact?: boolean;
  /** Of a link: where it opens, a new tab when left out. */
  readonly target?: "_blank" | "_self";
  readonly badge?: NavigationBadge;
  readonly children?: readonly NavigationItem[];
  readonly auth?: NavigationAuth;
  /** Permission ids of which the viewer needs one. */
  readonly levels?: readonly string[];
  /** Player types that see it; any when left out (decision D-08). */
  readonly types?: readonly string[];
};
