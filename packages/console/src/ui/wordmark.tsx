export function Wordmark() {
  return (
    <span className="wordmark" translate="no">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="M2 4.5h16M2 10h10M2 15.5h13" />
      </svg>
      Clientele
    </span>
  );
}
