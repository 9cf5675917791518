/// What is compared across switches: kept between runs, forgotten when permission is withdrawn.
struct SwitchMemory: Sendable {
  var order: ArrivalOrder
  var agreement = SourceAgreement()

  init(sourceCount: Int) { order = ArrivalOrder(sourceCount: sourceCount) }
}
