/// A question to the policy.
struct Question: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    case permission(AuthorizationRequest)
    case fullAccuracy(purposeKey: String)
  }

  enum Answer: Hashable, Sendable {
    case permission(AuthorizationDecision)
    /// The duration granted; nil declines.
    case fullAccuracy(Duration?)
  }

  /// Distinguishes the question from a cancelled one with the same subject.
  let number: UInt64
  let subject: Subject

  /// True if the key is valid as a full-accuracy purpose: 1...255 bytes, no control characters.
  static func isPurpose(_ key: String) -> Bool {
    (1...255).contains(key.utf8.count)
      && key.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  func put(to policy: any AuthorizationPolicy) async -> Answer {
    switch subject {
    case .permission(let request): .permission(await policy.authorize(request))
    case .fullAccuracy(let purpose) where !Self.isPurpose(purpose): .fullAccuracy(nil)
    case .fullAccuracy(let purpose):
      .fullAccuracy(await policy.temporaryFullAccuracy(for: purpose))
    }
  }
}
