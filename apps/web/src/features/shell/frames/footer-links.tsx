import { useText } from "@longarm/ui/i18n/use-text.ts";
import icon from "@longarm/ui/icon.module.css";
import { keyClass } from "@longarm/ui/key.tsx";
import { Link } from "@tanstack/react-router";
import css from "./footer-links.module.css";

/** What Longarm is built from, each with a drawing of what it does, made by us (decision D-52). */
const TECHNOLOGIES = [
  {
    name: "React",
    url: "https://react.dev",
    path: "M3.5 4.5h17v15h-17zM7 8.5h4.5v7H7zM14.5 8.5H17M14.5 12H17M14.5 15.5H17",
  },
  {
    name: "TypeScript",
    url: "https://www.typescriptlang.org",
    path: "M8.5 4.5c-4 0-1 6.5-5 7.5 4 1 1 7.5 5 7.5M15.5 4.5c4 0 1 6.5 5 7.5-4 1-1 7.5-5 7.5M12 9v.1M12 14.9v.1",
  },
  {
    name: "TanStack",
    url: "https://tanstack.com",
    path: "M12 3.5l8.5 4.3-8.5 4.3-8.5-4.3zM3.5 12l8.5 4.3 8.5-4.3M3.5 16.2l8.5 4.3 8.5-4.3",
  },
  { name: "WebRTC", url: "https://webrtc.org", path: "M3.5 7h11v10h-11zM14.5 11l6-3.5v9l-6-3.5M7 20.5h4" },
  {
    name: "Node.js",
    url: "https://nodejs.org",
    path: "M12 3l7.8 4.5v9L12 21l-7.8-4.5v-9zM9 10l-2 2 2 2M15 10l2 2-2 2",
  },
  {
    ...{ name: "PostgreSQL", url: "https://www.postgresql.org" },
    path: "M4.5 6.5a7.5 3 0 1 0 15 0a7.5 3 0 1 0 -15 0v11a7.5 3 0 0 0 15 0v-11M4.5 12a7.5 3 0 0 0 15 0",
  },
] as const;

/** The end of the footer of the template's layouts: technologies, and the links to the guide and to an installation of one's own. */
export function FooterParts({ documentation }: { documentation: string }) {
  const { t } = useText();
  return (
    <div className={css["parts"]}>
      <div className={css["keys"]}>
        <Link to={documentation} hash="start" preload={false} className={keyClass({ kind: "plain" })}>
          <Drawing path={CART} />
          {t("bars.purchase")}
        </Link>
        <Link to={documentation} preload={false} className={keyClass({ kind: "line" })}>
          <Drawing path={BOOK} />
          {t("bars.documentation")}
        </Link>
      </div>
      <ul className={css["technologies"]} aria-label={t("bars.technologies")}>
        {TECHNOLOGIES.map(({ name, url, path }) => (
          <li key={name}>
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className={keyClass({ kind: "bare" }, css["technology"])}
              title={name}
            >
              <Drawing path={path} />
              <span className="visually-hidden">{t("bars.technology", { name })}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Pictures that only the template's bars use: they are fetched with them, not with the first page. */
const BOOK = "M12 6.5C10 5 7 4.5 3.5 4.5v13c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2v-13c-3.5 0-6.5.5-8.5 2zM12 6.5v13";
const CART =
  "M3 4.5h2.5l2.2 10.5h9.8l2-7.5H6.3M7.5 19a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0zM15 19a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0z";

/** A line drawing as our icons are, 24 by 24; hidden from screen readers. */
function Drawing({ path }: { path: string }) {
  return (
    <svg className={icon["icon"]} viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
