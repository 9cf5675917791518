package import MockBackend

extension SplitMix64 {
  /// One of these values, each as probable as the others.
  package mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}
