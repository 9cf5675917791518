/// A question to the policy.
struct Question: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    case permission(AuthorizationRequest)
    case fullAccuracy(purposeKey: String)
  }

  enum Answer: Hashable, Sendable {
    case permission(AuthorizationDecision)
    /// For how long; nil declines.
    case fullAccuracy(Duration?)
  }

  /// Tells it from a question of the same subject that was taken back.
  let number: UInt64
  let subject: Subject

  /// True for what may name a purpose of full accuracy.
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
