import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import { LOCALES } from "../../shared/money/format.ts";
import { paths } from "../../shared/paths/paths.ts";
import { Icon } from "../../shared/ui/icon.tsx";
import { IconButton } from "../../shared/ui/key.tsx";
import { Logo, LogoMark } from "../../shared/ui/logo.tsx";
import { MENU_ITEMS, visibleItems } from "./menu-items.ts";
import css from "./navbar.module.css";

/** The label of this front end (specification section 9). */
export const UI_VERSION = "v2.3.4";

export type NavbarProps = {
  readonly player: SignedInPlayer;
  readonly balance: ReactNode;
  readonly showVersion: boolean;
  /** Narrow: icons only, names as tooltips. */
  readonly narrow: boolean;
  /** The key at the foot: folds or unfolds, or closes the drawer. */
  readonly foot: { readonly icon: "fold" | "unfold" | "close"; readonly label: string; readonly onPress: () => void };
  /** Stands above the foot of a drawer: what the low header has no room for. */
  readonly extra?: ReactNode;
  /** An item was chosen: a drawer closes. */
  readonly onChosen?: () => void;
};

/** The side menu: logo, player, items, last login, version. */
export function Navbar({ player, balance, showVersion, narrow, foot, extra, onChosen }: NavbarProps) {
  const { t } = useText();
  return (
    <nav className={css["navbar"]} data-region="navbar" data-narrow={narrow || undefined} aria-label={t("shell.menu")}>
      <Link to={paths.lobby} replace className={css["logo"]} aria-label={t("shell.logoToLobby")} onClick={onChosen}>
        {narrow ? <LogoMark /> : <Logo />}
      </Link>
      {!narrow && <PlayerCard player={player}>{balance}</PlayerCard>}
      <ul className={css["menu"]}>
        {visibleItems(MENU_ITEMS, { permissions: player.Permissions, type: player.type }).map((item) => (
          <li key={item.id}>
            <Link to={item.to} preload={false} onClick={onChosen} title={narrow ? t(item.label) : undefined}>
              <Icon name={item.icon} />
              <span className={narrow ? "visually-hidden" : ""}>{t(item.label)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className={css["foot"]}>
        {extra}
        <IconButton icon={foot.icon} label={foot.label} className={css["fold"] ?? ""} onClick={foot.onPress} />
        {!narrow && <LastLogin player={player} showVersion={showVersion} />}
      </div>
    </nav>
  );
}

function PlayerCard({ player, children }: { player: SignedInPlayer; children: ReactNode }) {
  const { language } = useText();
  const fullName = `${player.name} ${player.lastname}`.trim() || player.username;
  const initials = fullName
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toLocaleUpperCase(LOCALES[language]))
    .join("");
  return (
    <div className={css["player"]}>
      <span className={css["face"]} aria-hidden="true">
        {initials}
      </span>
      <b>
        <bdi>{fullName}</bdi>
      </b>
      <small>
        <bdi>{player.username}</bdi>
      </small>
      {children}
    </div>
  );
}

/** Address of this login, then time and address of the one before (decision D-03), then the version. */
function LastLogin({ player, showVersion }: { player: SignedInPlayer; showVersion: boolean }) {
  const { t, language } = useText();
  const time = shortTime(player.LastLogon, LOCALES[language]);
  return (
    <dl className={`${css["last"]} num`}>
      {player.IP !== "" && <Fact name={t("shell.address")} value={player.IP} />}
      {time !== "" && <Fact name={t("shell.lastLogin")} value={time} />}
      {player.LastLogonIP !== "" && <Fact name={t("shell.lastAddress")} value={player.LastLogonIP} />}
      {showVersion && <Fact name={t("shell.version")} value={UI_VERSION} />}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  );
}

/** Day, month, hour and minute; a text that is no time stands as it came. */
function shortTime(time: string, locale: string): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  return new Intl.DateTimeFormat(locale, {
    day: "2-digit",
    month: "2-digit",
    hour: "2-digit",
    hourCycle: "h23",
    minute: "2-digit",
  }).format(at);
}
