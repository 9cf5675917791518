package import MockBackend

extension SplitMix64 {
  /// Returns one of the values, all of which are equally probable.
  package mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}
