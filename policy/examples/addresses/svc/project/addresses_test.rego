package svc.project_test

import data.svc.project

request_from(networks, ip) := {
	"action": "status",
	"key": {"id": "key_1", "userId": "user-1", "state": "active"},
	"project": {"id": "p1", "ownerId": "user-1", "attributes": null, "adminAttributes": {"networks": networks}},
	"request": {"ip": ip},
}

office := "192.0.2.0/24, 2001:db8::/32"

test_listed_addresses[ip] if {
	some ip in {"192.0.2.0", "192.0.2.255", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"}
	project.role == "owner" with input as request_from(office, ip)
	not project.problem with input as request_from(office, ip)
}

# The addresses beside the networks, and others.
test_addresses_that_are_not_listed[ip] if {
	some ip in {"192.0.1.255", "192.0.3.0", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", "127.0.0.1", "::1"}
	project.problem.rule == "project.elsewhere" with input as request_from(office, ip)
	not project.role with input as request_from(office, ip)
}

test_what_is_no_network_lists_nothing[networks] if {
	some networks in {"", "yes", "192.0.2.1", "192.0.2.0/33", "192.0.2.0-192.0.2.255"}
	project.problem.rule == "project.elsewhere" with input as request_from(networks, "192.0.2.1")
}

test_a_network_beside_what_is_none_is_listed if {
	project.role == "owner" with input as request_from("office,192.0.2.0/24", "192.0.2.1")
}

test_address_that_is_not_known_is_not_listed if {
	project.problem.rule == "project.elsewhere" with input as object.remove(request_from("0.0.0.0/0", ""), ["request"])
}

test_networks_are_an_admins if {
	project.role == "owner" with input as object.union(
		object.remove(request_from(office, "127.0.0.1"), ["project"]),
		{"project": {"ownerId": "user-1", "attributes": {"networks": office}}},
	)
}

test_the_networks_of_others_are_not_said if {
	project.problem.rule == "project.forbidden" with input as object.union(
		request_from(office, "127.0.0.1"),
		{"key": {"id": "key_2", "userId": "user-2", "state": "active"}},
	)
}
