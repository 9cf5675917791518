/// Deliveries that wait until the hub's lock is released, in order. There is rarely more than one.
struct Deliveries: Sendable {
  private var first: Delivery?
  private var others: [Delivery] = []

  mutating func append(_ delivery: Delivery) {
    if first == nil { first = delivery } else { others.append(delivery) }
  }

  func perform(_ gate: DeliveryGate, waking wakes: inout Wakes) {
    guard let first else { return }
    first.perform(gate, waking: &wakes)
    for delivery in others { delivery.perform(gate, waking: &wakes) }
  }
}
