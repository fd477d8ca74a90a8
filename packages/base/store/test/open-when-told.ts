import { openDatabase } from '../src/database/open-database.ts';

/** Opens each file that it is told of, a random moment later, and answers with what went wrong. */
process.on('message', (file: string) => {
  const until = performance.now() + Math.random() * 5;
  while (performance.now() < until);
  let wrong = '';
  try {
    openDatabase(file).close();
  } catch (error) {
    wrong = String(error);
  }
  process.send?.(wrong);
});
process.send?.('ready');
