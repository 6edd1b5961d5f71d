import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { Logo, LogoMark } from "@longarm/ui/logo.tsx";
import { siteName } from "@longarm/ui/page-title.ts";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { Link, useNavigate } from "@tanstack/react-router";
import type { FocusEvent, MouseEvent, PointerEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import type { NavigationItem } from "../../shared/navigation/navigation.ts";
import { HOVER_MS } from "../../shared/navigation/navigation.ts";
import { paths } from "../../shared/paths/paths.ts";
import css from "./navbar.module.css";

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
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the keys inside act; this closes a drawer over their result.
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
        {!narrow && <InfoLinks links={infoLinks} onChosen={onChosen} />}
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
    <a
      href={paths.lobby}
      className={css["logo"]}
      aria-label={t("shell.logoToLobby", { name: siteName() })}
      onClick={follow}
    >
      {children}
    </a>
  );
}

type InfoLinksProps = {
  readonly links: readonly InfoLink[];
  readonly className?: string | undefined;
  readonly onChosen?: (() => void) | undefined;
};

/** The info pages as a list; nothing where there are none. */
export function InfoLinks({ links, className = css["pages"], onChosen }: InfoLinksProps) {
  const { t } = useText();
  if (links.length === 0) return null;
  return (
    <ul className={className} aria-label={t("shell.infoPages")}>
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

/** The label of this front end (specification section 9). */
export const UI_VERSION = "v2.3.4";

/** First and last name, user name, and the balance below. */
function PlayerCard({ player, children }: { player: SignedInPlayer; children: ReactNode }) {
  return (
    <div className={css["player"]}>
      <Avatar name={player.displayName} className={css["face"] ?? ""} />
      <b>
        <bdi>{player.displayName}</bdi>
      </b>
      <small>
        <bdi>{player.username}</bdi>
      </small>
      {children}
    </div>
  );
}

/** An address of the computer itself says nothing about a login. */
const publicAddress = (address: string): string => (/^(127\.|::1$|::ffff:127\.)/.test(address) ? "" : address);

/** Address of this login, then time and address of the one before, then the version (decision D-03). */
export function LoginFacts({ player, showVersion }: { player: SignedInPlayer; showVersion: boolean }) {
  const { t, language } = useText();
  const facts = [
    [t("shell.address"), publicAddress(player.IP)],
    [t("shell.lastLogin"), dateTimeText(player.LastLogon, language)],
    [t("shell.lastAddress"), publicAddress(player.LastLogonIP)],
    [t("shell.version"), showVersion ? UI_VERSION : ""],
  ].filter(([, value]) => value !== "");
  if (facts.length === 0) return null;
  return (
    <dl className={`${css["facts"]} num`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** One line of the casino's menu. */
export type MenuItem = NavigationItem & Required<Pick<NavigationItem, "label" | "icon" | "url">>;

/** All items of the casino are for signed-in players, at level 145. The name of its text is its id. */
const item = (id: MenuId, title: string, icon: IconName, url: string): MenuItem => ({
  ...{ type: "item", auth: ["admin", "staff", "user"], levels: ["145"] },
  ...{ id, title, label: `shell.${id}`, icon, url },
});
type MenuId = "lobby" | "profile" | "sessions" | "transactions" | "wallet" | "saferPlay" | "logout";

/** The casino's pages, with the titles that the specification gives them (2.3): the search finds those beside the shown labels (decision D-04). */
export const MENU_ITEMS: readonly MenuItem[] = [
  item("lobby", "Lobby", "machine", paths.lobby),
  item("profile", "profile", "player", paths.profile),
  item("sessions", "Slot Sessions", "clock", paths.slotSessions),
  item("transactions", "Transactions", "transactions", paths.transactions),
  item("wallet", "Wallet", "wallet", paths.wallet),
  item("saferPlay", "Safer play", "shield", paths.saferPlay),
  item("logout", "Logout", "logout", paths.logout),
];

/** A folded menu opens over the page while the pointer rests on it or the keyboard is inside. */
export function useUnfolding(folded: boolean) {
  const [hovered, setHovered] = useState(false);
  const [keyed, setKeyed] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function soon(next: boolean) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHovered(next), HOVER_MS);
  }
  return {
    over: folded && (hovered || keyed),
    /** A press folds it although the pointer is still on its button. */
    fold() {
      clearTimeout(timer.current);
      setHovered(false);
      setKeyed(false);
    },
    handlers: {
      // A finger does not hover: it would open the bar under its own tap.
      onPointerEnter: ({ pointerType }: PointerEvent) => pointerType !== "touch" && soon(true),
      onPointerLeave: () => soon(false),
      onFocus: ({ target }: FocusEvent) => setKeyed(target.matches(":focus-visible")),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) setKeyed(false);
      },
    },
  };
}
