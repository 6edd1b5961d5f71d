import type { TaskKind } from "@longarm/contract/staff-tasks";
import { runbookOf, TASK_KINDS } from "@longarm/contract/staff-tasks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Token, Tokens } from "marked";
import { lexer } from "marked";
import type { ReactNode } from "react";
import { runbookPath } from "../../shared/tasks.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel, panelCss } from "../../shared/ui/panel.tsx";
import css from "./runbooks.module.css";

/** The pages of docs/runbooks, which come with the console: they are there when nothing else is. */
const FILES = import.meta.glob<string>("../../../../../docs/runbooks/*.md", { query: "?raw", import: "default" });

/** What to do about one kind of task. */
export function RunbookPage() {
  const { t } = useText();
  const { kind } = useParams({ strict: false }) as { readonly kind?: string };
  const known = TASK_KINDS.find((one) => one === kind);
  return (
    <Page title={known === undefined ? t("app.runbooks") : t(`tasks.kind_${known}`)} about={t("runbooks.about")}>
      {known === undefined ? <All /> : <One kind={known} />}
    </Page>
  );
}

function All() {
  const { t } = useText();
  return (
    <Panel title={t("runbooks.all")}>
      <ul className={css["all"]}>
        {TASK_KINDS.map((kind) => (
          <li key={kind}>
            <Link to={runbookPath(kind)}>{t(`tasks.kind_${kind}`)}</Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function One({ kind }: { readonly kind: TaskKind }) {
  const { t, language } = useText();
  const text = useQuery({
    queryKey: ["runbook", kind],
    queryFn: async () => (await FILES[`../../../../../docs/runbooks/${runbookOf(kind)}.md`]?.()) ?? "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel title={t("app.runbooks")} {...(language !== "en" && { about: t("runbooks.english") })}>
      <Loaded of={text}>
        {(markdown) =>
          markdown === "" ? (
            <Empty icon="search" title={t("runbooks.none")} />
          ) : (
            <article className={`${panelCss["body"]} ${css["page"]}`} lang="en" dir="ltr">
              {/* The page's own title is the console's. */}
              {lexer(markdown).map((token, at) => (token.type === "heading" && at === 0 ? null : block(token, at)))}
            </article>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Drawn from the parsed text, never as HTML. */
function block(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "heading":
      return <h3 key={key}>{inline((token as Tokens.Heading).tokens)}</h3>;
    case "paragraph":
      return <p key={key}>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "list": {
      const { ordered, items } = token as Tokens.List;
      const Tag = ordered ? "ol" : "ul";
      return (
        <Tag key={key}>
          {items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a parsed text never changes its order.
            <li key={at}>{item.tokens.map((part) => (part.type === "text" ? inlineOf(part) : block(part, at)))}</li>
          ))}
        </Tag>
      );
    }
    case "space":
      return null;
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

const inlineOf = (token: Token): ReactNode =>
  "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : textOf(token);

function inline(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, key) => {
    if (token.type === "strong")
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      return <b key={key}>{inline((token as Tokens.Strong).tokens)}</b>;
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    if (token.type === "codespan") return <code key={key}>{textOf(token)}</code>;
    // A link of the repository leads nowhere in a console: its words stay.
    return textOf(token);
  });
}

const textOf = (token: Token): string => ("text" in token ? String(token.text) : token.raw);
