import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Link } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import css from "./entry.module.css";
import type { NavigationBadge, NavigationItem } from "./navigation.ts";
import { titleOf } from "./navigation.ts";

/** The content of a navigation row: icon (else the first letter, which only a folded menu shows), title, badge, and its end. */
export function EntryFace({ item, end }: { item: NavigationItem; end?: ReactNode }) {
  const { t } = useText();
  const title = titleOf(item, t);
  return (
    <>
      {item.icon === undefined ? (
        <span className={css["letter"]} data-letter aria-hidden="true">
          {title.charAt(0)}
        </span>
      ) : (
        <Icon name={item.icon} />
      )}
      <span className={css["title"]} data-title>
        {title}
      </span>{" "}
      {item.badge !== undefined && <Badge {...item.badge} />}
      {end}
    </>
  );
}

/** A pill beside the title, in tokens of the palette: ivory on a raised key when it names none. */
function Badge({ title, bg = "raised-2", fg = "ink" }: NavigationBadge) {
  return (
    <span className={`${css["badge"]} num`} data-badge style={{ background: `var(--${bg})`, color: `var(--${fg})` }}>
      {title}
    </span>
  );
}

type EntryLinkProps = Omit<ComponentProps<"a">, "href" | "target" | "children"> & { readonly item: NavigationItem };

/** A page of ours, marked when it is the one that is open; or a link to outside, which opens where the entry says, else in a new tab. */
export function EntryLink({ item, ...rest }: EntryLinkProps) {
  const { t } = useText();
  const { url = "", exact = false, target = "_blank" } = item;
  if (item.type === "link") {
    return (
      <a {...rest} href={url} target={target} rel="noopener noreferrer">
        <EntryFace
          item={item}
          end={target === "_blank" && <span className="visually-hidden">{t("bars.newTab")}</span>}
        />
      </a>
    );
  }
  return (
    <Link {...rest} to={url} preload={false} activeOptions={{ exact, includeSearch: false }}>
      <EntryFace item={item} />
    </Link>
  );
}
