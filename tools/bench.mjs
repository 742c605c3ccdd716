// `npm run bench`: measurements live in test/bench; there are none yet.
console.log('There is nothing to measure yet.');
