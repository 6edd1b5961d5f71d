import { Link, useNavigate } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { Icon } from "../../shared/ui/icon.tsx";
import { IconButton } from "../../shared/ui/key.tsx";
import { Logo, LogoMark } from "../../shared/ui/logo.tsx";
import type { MenuItem } from "./menu-items.ts";
import css from "./navbar.module.css";
import { LoginFacts, PlayerCard } from "./player-facts.tsx";

/** An info page that is offered: its title in the specification, the shown one, and what opens it. */
export type InfoLink = {
  readonly id: string;
  readonly title: string;
  readonly label: string;
  readonly open: () => void;
};

export type NavbarProps = {
  /** Undefined: a guest. */
  readonly player: SignedInPlayer | undefined;
  readonly balance: ReactNode;
  readonly items: readonly MenuItem[];
  readonly infoLinks: readonly InfoLink[];
  readonly showVersion: boolean;
  /** Narrow: icons only, names as tooltips. */
  readonly narrow: boolean;
  /** The key at the foot: folds or unfolds, or closes the drawer. */
  readonly foot: { readonly icon: "fold" | "unfold" | "close"; readonly label: string; readonly onPress: () => void };
  /** Claim keys and small keys, where the header has no room for them or is not there. */
  readonly actions?: ReactNode;
  readonly tools?: ReactNode;
  /** An item was chosen: a drawer closes. */
  readonly onChosen?: () => void;
};

/** The side menu: logo, player, items, info pages, last login, version. */
export function Navbar(props: NavbarProps) {
  const { player, balance, items, infoLinks, narrow, foot, onChosen } = props;
  const { t } = useText();
  return (
    <nav className={css["navbar"]} data-region="navbar" data-narrow={narrow || undefined} aria-label={t("shell.menu")}>
      <LogoLink onChosen={onChosen}>{narrow ? <LogoMark /> : <Logo />}</LogoLink>
      {!narrow && player && <PlayerCard player={player}>{balance}</PlayerCard>}
      {!narrow && (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the keys inside act; this closes a drawer over what they tell.
        <div className={css["actions"]} onClick={onChosen}>
          {props.actions}
        </div>
      )}
      <ul className={css["menu"]}>
        {items.map((item) => (
          <li key={item.id}>
            <Link to={item.url} preload={false} onClick={onChosen} title={narrow ? t(item.label) : undefined}>
              <Icon name={item.icon} />
              <span className={narrow ? "visually-hidden" : ""}>{t(item.label)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className={css["foot"]}>
        {!narrow && infoLinks.length > 0 && <InfoLinks links={infoLinks} onChosen={onChosen} />}
        {!narrow && <div className={css["tools"]}>{props.tools}</div>}
        <div className={css["last"]}>
          <IconButton icon={foot.icon} label={foot.label} onClick={foot.onPress} />
          {!narrow && player && <LoginFacts player={player} showVersion={props.showVersion} />}
        </div>
      </div>
    </nav>
  );
}

/** To the lobby, in the place of this page in the history. A router's link would call itself the current page, beside the menu's item. */
export function LogoLink({ onChosen, children }: { onChosen: (() => void) | undefined; children: ReactNode }) {
  const { t } = useText();
  const navigate = useNavigate();
  function follow(event: MouseEvent) {
    // A new tab or window is the browser's business.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onChosen?.();
    void navigate({ to: paths.lobby, replace: true });
  }
  return (
    <a href={paths.lobby} className={css["logo"]} aria-label={t("shell.logoToLobby")} onClick={follow}>
      {children}
    </a>
  );
}

export function InfoLinks({ links, onChosen }: { links: readonly InfoLink[]; onChosen: (() => void) | undefined }) {
  const { t } = useText();
  return (
    <ul className={css["pages"]} aria-label={t("shell.infoPages")}>
      {links.map(({ id, label, open }) => (
        <li key={id}>
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => {
              onChosen?.();
              open();
            }}
          >
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
}
