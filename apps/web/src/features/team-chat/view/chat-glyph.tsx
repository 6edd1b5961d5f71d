import css from "./chat-key.module.css";

/** Two bubbles: people who talk to each other. */
export function ChatGlyph() {
  return (
    <Glyph path="M4 5.5h9A1.5 1.5 0 0 1 14.5 7v5a1.5 1.5 0 0 1-1.5 1.5H8L4.5 16.5v-3A1.5 1.5 0 0 1 3 12V7a1.5 1.5 0 0 1 1-1.5zM17.5 9.5H19.5A1.5 1.5 0 0 1 21 11v5a1.5 1.5 0 0 1-1.5 1.5v3L16 17.5h-4.5A1.5 1.5 0 0 1 10 16.5" />
  );
}

/** A paper plane that flies to the end of the line. */
export function SendGlyph() {
  return <Glyph path="M4 12 20.5 4.5 16 20l-4.5-6.5zM11.5 13.5 20.5 4.5" flips />;
}

function Glyph({ path, flips }: { readonly path: string; readonly flips?: true }) {
  return (
    <svg className={css["glyph"]} viewBox="0 0 24 24" aria-hidden="true" data-flips={flips}>
      <path d={path} />
    </svg>
  );
}
