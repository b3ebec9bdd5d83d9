-- A small warehouse built by real Hive statements: 22 of them leave a lineage record.
create database if not exists raw; create database if not exists dw; create database if not exists mart;
create table raw.orders (id bigint comment 'order key', cust_id bigint, item struct<sku:string,qty:int>, amount double, tags array<string>, ts string) partitioned by (dt string);
create table raw.customers (id bigint, name string, email string, country string);
create external table raw.fx (ccy string, rate double, day string);
insert into raw.customers values (1,'Ann','ann@x.test','NO'),(2,'Bo','bo@x.test','SE'),(3,'Cy','cy@x.test','NO');
insert into raw.fx values ('NOK',0.09,'2026-01-01'),('SEK',0.095,'2026-01-01');
insert into table raw.orders partition (dt='2026-01-01') select 1, 1, named_struct('sku','A','qty',2), 10.5, array('new','web'), '2026-01-01 10:00:00' from raw.customers where id = 1;
insert into table raw.orders partition (dt='2026-01-02') select id + 10, id, named_struct('sku',concat('S',name),'qty',cast(id as int)), id * 7.25, array('x'), '2026-01-02 11:00:00' from raw.customers;
-- CTAS, group by
create table dw.cust_total as select cust_id, sum(amount) as total, count(*) as n, max(ts) as last_ts from raw.orders group by cust_id;
-- join and expressions
create table dw.order_wide stored as orc as select o.id as order_id, o.dt, c.name, upper(c.country) as country, o.item.sku as sku, o.amount * o.item.qty as gross, case when o.amount > 10 then 'big' else 'small' end as size from raw.orders o join raw.customers c on o.cust_id = c.id where c.country <> 'DK';
-- insert overwrite, dynamic partitions, left join
create table dw.daily (country string, orders bigint, gross double) partitioned by (dt string);
insert overwrite table dw.daily partition (dt) select c.country, count(o.id), sum(o.amount), o.dt from raw.customers c left outer join raw.orders o on (c.id = o.cust_id) group by c.country, o.dt having count(o.id) > 0;
-- insert overwrite of one static partition
insert overwrite table dw.daily partition (dt='2025-12-31') select 'NO', 0, cast(0 as double) from raw.customers limit 1;
-- union all
create table dw.people as select * from (select id, name, 'customer' as kind from raw.customers union all select cust_id as id, concat('c', cast(cust_id as string)) as name, 'order' as kind from raw.orders) u;
-- common table expression and window functions
create table dw.ranked as with t as (select cust_id, amount, dt from raw.orders where dt >= '2026-01-01') select cust_id, amount, row_number() over (partition by cust_id order by amount desc) as rk, sum(amount) over (partition by cust_id) as cust_sum from t;
-- lateral view
create table dw.tags as select id, tag from raw.orders lateral view explode(tags) e as tag;
-- multi-insert: one statement, two targets
create table dw.big (order_id bigint, gross double); create table dw.small (order_id bigint, gross double);
from dw.order_wide w insert overwrite table dw.big select w.order_id, w.gross where w.size = 'big' insert overwrite table dw.small select w.order_id, w.gross where w.size = 'small';
-- subqueries
create table dw.active as select c.id, c.email from raw.customers c where c.id in (select o.cust_id from raw.orders o where o.amount > 5);
-- views
create view mart.v_country as select country, sum(gross) as gross from dw.order_wide group by country;
create view mart.v_top (customer, total) as select c.name, t.total from dw.cust_total t join raw.customers c on t.cust_id = c.id;
create table mart.report as select v.customer, v.total, p.kind from mart.v_top v join dw.people p on v.customer = p.name;
alter view mart.v_country as select country, sum(gross) as gross, count(*) as n from dw.order_wide group by country;
-- a chain over the previous tables, self join, overwrite of the same table
insert overwrite table dw.cust_total select a.cust_id, a.total, a.n, a.last_ts from dw.cust_total a join dw.cust_total b on a.cust_id = b.cust_id;
create table mart.kpi as select d.dt, sum(d.gross) / count(distinct d.country) as per_country, coalesce(max(f.rate), 1.0) as rate from dw.daily d left join raw.fx f on d.dt = f.day group by d.dt;
-- plain query (also logged), and DDL (not logged)
select customer from mart.v_top where total > 1;
create table mart.kpi_like like mart.kpi;
insert into mart.kpi_like select * from mart.kpi;
alter table mart.kpi_like rename to mart.kpi2;
insert overwrite directory '${hiveconf:export}/country_gross' select country, gross from mart.v_country;
drop table dw.small;
