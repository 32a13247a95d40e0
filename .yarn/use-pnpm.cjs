// Yarn runs this in place of itself.
process.stderr.write('This workspace needs pnpm. Run: npx -y pnpm@10.34.9 install\n');
process.exitCode = 1;
